"""Loops over lists: sorting, merging, ranks and tie groups."""
