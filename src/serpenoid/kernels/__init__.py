"""Unit-free compiled kernels on plain arrays. The only room that imports Numba."""
