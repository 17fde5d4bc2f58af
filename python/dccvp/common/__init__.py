"""Modules that all parts of the package use."""
