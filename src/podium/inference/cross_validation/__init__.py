"""Intervals of what cross-validation estimates: folds share rows, so their values depend on each other."""
