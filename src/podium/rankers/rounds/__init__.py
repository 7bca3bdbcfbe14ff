"""Weak rankers added up round by round."""
