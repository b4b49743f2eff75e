"""Run the campaigns: `python -m tests.hostile [NAME ...] [--count N] [--seed S]`."""

import argparse
import sys

from tests.hostile import CASES
from tests.hostile.campaign import campaign
from tests.hostile.kills import kill_all

# Cases of each; kills of each kind.
COUNTS = {"states": 1000, "files": 1000, "texts": 300, "kills": 30}
# Largest resident memory of a process, B.
MOST_MEMORY = 10**9


def main() -> int:
    """Exit code 1 if anything is not as it should be."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile")
    parser.add_argument("names", nargs="*", help=", ".join([*CASES, "kills"]))
    parser.add_argument("--count", type=int, help="cases of each, instead of the usual")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    wrong = False
    for name in given.names or [*CASES, "kills"]:
        count = given.count or COUNTS[name]
        if name == "kills":
            wrong = _kills(count, given.seed) or wrong
            continue
        tally = campaign(name, count, given.seed)
        print(f"{name}: {tally}", flush=True)
        for number, words in tally.failures[:40]:
            print(f"  case {number}: {words}")
        wrong = wrong or bool(tally.failures) or tally.peak > MOST_MEMORY
    return int(wrong)


def _kills(count: int, seed: int) -> bool:
    """Whether something is lost, doubled, half written or left behind."""
    failures = []
    for tally in kill_all(count, seed):
        print(tally, flush=True)
        failures += tally.failures
    print("\n".join(f"  {words}" for words in failures), end="")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
