"""A fit to a table that is not held as a whole: looked at by a sample, learned from and judged by all of its rows."""
