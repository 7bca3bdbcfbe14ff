"""Bands and intervals along the ROC curve and down the list."""
