"""Runs the conformance vectors of ``tests/vectors`` against the Python package."""
