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
    "StackedRanker": "Members differ in kind: permutation_importance, or feature_effects with intervals.",
    "AutoRanker": "It depends on the kind that is chosen: ``importance_getter='best_estimator_.coef_'``.",
    "CriterionSearch": "It depends on the ranker given: ``importance_getter='best_estimator_.coef_'``.",
    "PenalizedSelection": "It depends on the class that is selected: ``importance_getter='best_estimator_.coef_'``.",
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
# By ranker as it comes: checks of scikit-learn's ``check_estimator`` that fail, and why. All others pass.
_WEIGHTS = tuple(f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))
FAILED_CHECKS = {
    "GradientBoostedRanker()": dict.fromkeys(
        _WEIGHTS, "LightGBM's bins and leaves have a least number of rows, not of weight, unless that is one."
    ),
    "GradientBoostedRanker(backend='xgboost')": dict.fromkeys(
        _WEIGHTS, "XGBoost's leaves are in single precision: equal to 2e-7, where the check wants 1e-7."
    ),
    "StackedRanker()": dict.fromkeys(
        _WEIGHTS, "Its folds, the bootstrap of its forests and the batches of its network are drawn row by row."
    ),
    "GradedRanker()": dict.fromkeys(
        _WEIGHTS, "The solver stops within its tolerance: equal to 3e-7, and to 3e-3 of sparse rows, not to 1e-7."
    ),
}
