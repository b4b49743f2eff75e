"""Outside referees: the same planar chain in MuJoCo, Pinocchio and pymunk."""
