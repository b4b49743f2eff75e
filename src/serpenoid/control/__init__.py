"""Controllers: what tells the joints where to go."""
