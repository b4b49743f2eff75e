"""Controllers: gaits, feedback and paths that give the joints their references."""
