"""Comparisons of scorers."""
