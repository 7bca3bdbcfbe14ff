"""More than two classes in order."""
