"""The controller's laws as terms for the solver z3 (law_proof.py)."""
