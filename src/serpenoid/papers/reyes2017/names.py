"""Titles of the scenarios and symbols of the quantities in the figures."""

TITLES = ("1: no friction", "2: wheels, μ = 0.1", "3: ideal wheels")
LOAD, ROBOT, RATIO = r"$\|a_\mathrm{obj}\|^2$", r"$\|\ddot q_s\|^2$", "$sr$"
