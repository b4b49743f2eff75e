"""Friction, contact and actuator laws: frozen specs that pack themselves for the kernels."""
