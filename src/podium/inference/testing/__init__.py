"""Two-sample rank tests."""
