"""Runs whose results are frozen: to the bit on the machine that froze them, to 1e-6 m elsewhere."""
