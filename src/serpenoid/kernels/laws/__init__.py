"""The laws of a step, one file for each: impulse and curvature of its piece, check, work."""
