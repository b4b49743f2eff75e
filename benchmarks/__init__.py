"""Benchmarks: peers side by side, scaling, memory and start-up. Run with `make bench`."""
