"""Tools that make the documentation site."""
