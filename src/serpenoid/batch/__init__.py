"""Many robots of one structure at once, on all cores."""
