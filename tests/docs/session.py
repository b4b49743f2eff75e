"""Runs Python files in one namespace, as one session: a path on each line of standard input.

Answers each with a line: `ok`, or `failed` after the traceback.
"""

import contextlib
import sys
import traceback
from pathlib import Path

names = {"__name__": "__main__"}
for line in sys.stdin:
    path = Path(line.rstrip("\n"))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    except Exception:
        traceback.print_exc()
        print("failed", flush=True)
    else:
        print("ok", flush=True)
