"""Displays of decisions: cuts, what they pay, recall claimed while reading, and monitors over time."""
