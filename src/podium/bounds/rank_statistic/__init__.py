"""Rank statistics of any φ: deviations, sample sizes, penalties."""
