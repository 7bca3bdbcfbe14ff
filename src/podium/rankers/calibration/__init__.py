"""From scores to chances of a positive, learned on rows that trained nothing.

`Isotonic` and `Platt` are the two curves, with limits; `Calibration` is the one of them that the number of rows allows.
"""
