"""Unit-free compiled kernels on plain arrays. The only package that imports Numba."""
