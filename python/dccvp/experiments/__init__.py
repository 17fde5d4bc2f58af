"""Sweeps and studies: plan, run, judge, table."""
