"""Columns of a table: found by name, turned into numbers."""
