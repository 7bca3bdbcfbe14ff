"""What every method sees of a list: tie groups, scores of ranks, influence values."""
