"""What is simulated: frozen, validated values."""
