"""From values to numbers and back."""
