"""A stack of rankers, and the members made for it."""
