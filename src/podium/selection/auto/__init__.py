"""The choice among kinds of models by validation, within a budget of work."""
