"""Linear and quadratic scoring rules."""
