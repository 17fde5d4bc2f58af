"""The package for a hardware team."""
