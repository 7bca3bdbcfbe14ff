"""Columns of a table as numbers: what was learned of each from training rows, for every row to come."""
