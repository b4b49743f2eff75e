"""One process of a campaign: `python -m tests.hostile.worker KIND FIRST LAST SEED`."""

import sys

from tests.hostile import CASES
from tests.hostile.campaign import work

if __name__ == "__main__":
    kind, first, last, seed = sys.argv[1:]
    work(*CASES[kind], range(int(first), int(last)), int(seed))
