"""The stages of a fit, in their order: read, split, encode, choose, judge, present."""
