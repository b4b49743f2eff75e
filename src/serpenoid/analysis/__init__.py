"""Pure functions of recorded runs."""
