"""Lists made of parts: the same measure in each group and across groups."""
