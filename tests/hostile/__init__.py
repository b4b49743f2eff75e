"""Campaigns of hostile input, all of it from seeds: states, run files, scenarios and studies.

`python -m tests.hostile` runs all of them and prints what became of every case.
"""

from tests.hostile import files, states

# What to make beforehand, and one case.
CASES = {"states": (states.bases, states.case), "files": (files.bases, files.case)}
