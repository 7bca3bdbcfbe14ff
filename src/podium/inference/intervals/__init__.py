"""Confidence intervals for one scorer."""
