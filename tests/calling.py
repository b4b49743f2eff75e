"""Kernels that only other kernels call, for tests to call."""

from collections.abc import Callable
from typing import Any

import numba


def called(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel as Python can call it."""

    @numba.njit(error_model="numpy", no_cfunc_wrapper=True)
    def call(*arguments):
        return kernel(*arguments)

    return call
