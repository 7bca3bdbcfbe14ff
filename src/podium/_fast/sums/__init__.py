"""Loops over pairs of rows, summed in linear time."""
