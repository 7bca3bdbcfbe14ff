"""Linear and quadratic scoring rules: the recipe behind their rankers.

Scores are linear in the features of a model. Directions live on a unit sphere in coordinates that a robust scatter of
the features makes round; the criterion is climbed there from a plug-in direction and pulled towards it by
λ = 3·r_φ·d/min(n, m), r_φ = √∫φ'². The pull vanishes as the sample grows; at small samples it removes the losses that
a free maximizer has against logistic regression. The bandwidth is fixed by a rule: N^(−1/5)/r_φ times a robust spread
of the plug-in scores.

A fit has three stages, each a function of frozen data: *prepare* the columns and a plug-in rule, state the *problem*,
and *climb*.
"""
