"""Pictures of runs and reproductions."""
