"""Where an estimator differs from a convention, and why: all such cells of the matrix, and no others."""

NO_WEIGHTS = "Rows have no weights: the bounds behind its penalties are about rows that count once."
WEIGHTS = (
    "weights_of_one_are_no_weights",
    "rows_without_weight_are_no_rows",
    "lists_and_whole_weights",
    "weights_as_a_pandas_column",
    "weights_of_classes",
    "balanced_classes",
    "a_weight_for_every_row",
    "no_negative_weights",
    "weights_are_routed",
)
# Estimators that have neither coef_ nor feature_importances_, and where importances are.
IMPORTANCES = {
    "CriterionRanker": "A model's parameter need not be a weight per column: ``importance_getter='theta_'`` for lines.",
    "TreeRanker": "A cut asks several columns in turn: permutation_importance, or feature_effects with intervals.",
    "ForestRanker": "A cut asks several columns in turn: permutation_importance, or feature_effects with intervals.",
    "StackedRanker": "Members differ in kind: permutation_importance, or feature_effects with intervals.",
    "AutoRanker": "It depends on the kind that is chosen: ``importance_getter='best_ranker_.coef_'``.",
    "CriterionSearch": "It depends on the ranker given: ``importance_getter='best_ranker_.coef_'``.",
    "PenalizedSelection": "It depends on the class that is selected: ``importance_getter='ranker_.coef_'``.",
    "NeuralRanker": "A network has no weight per column: permutation_importance, or feature_effects with intervals.",
}
FRAMES = "Data frames go to its members as they are: each takes categories, or is left out with a warning."
DIFFERENCES = {
    **{(name, "PenalizedSelection"): NO_WEIGHTS for name in WEIGHTS},
    **{
        (name, estimator): reason
        for name in ("feature_selection_by_weights", "recursive_feature_elimination")
        for estimator, reason in IMPORTANCES.items()
    },
    ("missing_values", "StackedRanker"): "A member that takes none is left out with a warning.",
    ("pandas_categories", "StackedRanker"): FRAMES,
    ("polars_categories", "StackedRanker"): FRAMES,
}
