"""The laws of the controller as terms for z3 (law_proof.py)."""
