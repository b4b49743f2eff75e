"""`python -m serpenoid`: the command line."""

from serpenoid.cli import main

main()
