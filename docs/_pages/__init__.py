"""Writes what pages of the documentation show of the package and of runs: `make pages`.

On a page it stands between two comments, so that the page is complete wherever it is read:

    <!-- made by `make pages`: scenario-keys friction -->
    ...
    <!-- end -->
"""
