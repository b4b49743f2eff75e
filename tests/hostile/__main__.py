"""Run the campaigns: `python -m tests.hostile [NAME ...] [--count N] [--seed S]`."""

import argparse
import sys

from tests.hostile import CASES
from tests.hostile.campaign import campaign

# Cases of each.
COUNTS = {"states": 1000, "files": 1000, "texts": 300}
# Largest resident memory of a process, B.
MOST_MEMORY = 10**9


def main() -> int:
    """Exit code 1 if anything is not as it should be."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile")
    parser.add_argument("names", nargs="*", help=", ".join(CASES))
    parser.add_argument("--count", type=int, help="cases of each, instead of the usual")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    wrong = False
    for name in given.names or CASES:
        tally = campaign(name, given.count or COUNTS[name], given.seed)
        print(f"{name}: {tally}", flush=True)
        for number, words in tally.failures[:40]:
            print(f"  case {number}: {words}")
        wrong = wrong or bool(tally.failures) or tally.peak > MOST_MEMORY
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
