"""Hits among the first rows of a list that is not labeled yet."""
