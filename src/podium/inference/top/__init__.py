"""Intervals and comparisons of metrics of the top of the list: average precision, NDCG, precision, recall, lift."""
