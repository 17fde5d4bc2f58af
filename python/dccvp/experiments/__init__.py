"""Sweeps, studies and reproductions of published experiments: plans, runs, verdicts, tables."""
