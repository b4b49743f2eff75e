"""How a step is solved, and the kernel records of a robot in its world."""
