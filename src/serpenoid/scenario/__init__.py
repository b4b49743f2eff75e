"""Scenario files and the gallery of ready ones."""
