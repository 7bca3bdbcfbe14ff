"""Loops over random draws and the laws of order statistics."""
