"""The summation engine: sums over all pairs of rows in linear time, from summaries that add up over chunks."""
