"""The paper's figures in its layout, and those of the proofs."""

FIGURES = ()
