"""The order of scores by counting: cells of a monotone map, counting passes, exact repair."""
