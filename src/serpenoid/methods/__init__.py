"""The methods that take steps, with the kernels of the papers' own ones."""
