"""Pictures of ranking trees: the curve of their segments, and the tree itself."""
