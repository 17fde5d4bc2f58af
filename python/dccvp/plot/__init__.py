"""Draws pictures of runs and reproductions."""
