"""Campaigns of hostile input, all of it from seeds: states, run files, scenarios and studies.

`python -m tests.hostile` runs all of them, and kills processes at random moments; it prints what
became of every case.
"""

from tests.hostile import files, states, texts

# What to make beforehand, and one case.
CASES = {
    "states": (states.bases, states.case),
    "files": (files.bases, files.case),
    "texts": (texts.sources, texts.case),
}
