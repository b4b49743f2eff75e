"""Slow, literal referees."""
