"""From scores to chances of a positive, learned on rows that trained nothing.

`Isotonic` and `Platt` are the two curves, `IncreasingLimits` the limits of either; `Calibration` is the curve that the
number of rows allows, with its limits.
"""
