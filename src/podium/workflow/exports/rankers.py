"""What every ranker computes, as expressions of its columns; stacks and networks are more than an expression."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from podium._types import Array, FloatArray
from podium.exceptions import InputError
from podium.models import LinearModel, Model, QuadraticModel, WithIntercept
from podium.rankers import (
    BoostedRanker,
    CriterionRanker,
    ForestRanker,
    GradedRanker,
    GradientBoostedRanker,
    LinearRanker,
    QuadraticRanker,
    Ranker,
    ScorecardRanker,
    TreeRanker,
)
from podium.rankers.treerank.cells import RankingTree
from podium.rankers.treerank.gain import Bins
from podium.selection import AutoRanker, CriterionSearch, PenalizedSelection
from podium.workflow.exports.cells import LARGEST, Cell, Coded, Filled, Number, filled
from podium.workflow.exports.expressions import (
    Expression,
    by_threshold,
    constant,
    forest,
    interpolate,
    median,
    missing,
    single,
    total,
    tree_of,
    where,
)
from podium.workflow.exports.steps import after

Tree = dict[str, Any]  # a split and its two sides, or a leaf, as LightGBM writes them


def score_of(ranker: Any, cells: Sequence[Cell]) -> Expression:
    """The decision function of a ranker, or of a pipeline that ends in one."""
    *steps, last = _steps(ranker)
    if isinstance(last, GradedRanker):
        return score_of(last.estimator_, after(steps, cells))
    return raw_score(ranker, cells) - getattr(last, "threshold_", 0.0)


def raw_score(ranker: Any, cells: Sequence[Cell]) -> Expression:
    """The same before the threshold is taken off."""
    *steps, last = _steps(ranker)
    cells = after(steps, cells)
    if getattr(last, "_encoder", None) is not None and (steps or not all(isinstance(c, Number) for c in cells)):
        raise InputError(
            f"A pipeline can be exported whose {type(last).__name__} was fitted to numbers without gaps.",
            "export the ranker by itself, fitted to the table.",
        )
    known = getattr(last, "_categories", None)
    if known is not None:
        cells = [Coded(cell, known.values[j]) if j in known.values else cell for j, cell in enumerate(cells)]
    return _score(last, cells)


def _steps(ranker: Any) -> list[Any]:
    return [step for _, step in ranker.steps] if hasattr(ranker, "steps") else [ranker]


@singledispatch
def _score(ranker: Any, cells: Sequence[Cell]) -> Expression:
    is_ours = isinstance(ranker, Ranker)
    raise InputError(
        f"Every ranker of Podium but stacks and networks can be exported; this {'model' if is_ours else 'estimator'} "
        f"is a {type(ranker).__name__}.",
        "fit another one, such as linear, trees or ranking-tree, or score with podium where the model file is.",
    )


@_score.register(CriterionSearch)
@_score.register(PenalizedSelection)
def _(ranker: Any, cells: Sequence[Cell]) -> Expression:
    return raw_score(ranker.best_estimator_, cells)


@_score.register
def _(ranker: AutoRanker, cells: Sequence[Cell]) -> Expression:
    if ranker._fillings is not None:
        cells = [Filled(cell, value) for cell, value in zip(cells, ranker._fillings, strict=True)]
    return raw_score(ranker.best_estimator_, cells)


@_score.register
def _(ranker: LinearRanker, cells: Sequence[Cell]) -> Expression:
    return _line(_scaled(ranker, _numbers(cells)), ranker.coef_)


@_score.register
def _(ranker: QuadraticRanker, cells: Sequence[Cell]) -> Expression:
    columns, linear = _scaled(ranker, _numbers(cells)), ranker.coef_
    if ranker._center is not None:
        columns = [x - c for x, c in zip(columns, ranker._center, strict=True)]
        linear = linear + 2 * ranker.matrix_ @ ranker._center
    return _quadratic(columns, ranker.matrix_, linear)


@_score.register
def _(ranker: CriterionRanker, cells: Sequence[Cell]) -> Expression:
    return _of_model(ranker.model_, ranker.theta_, _numbers(cells))


def _of_model(model: Model, theta: FloatArray, columns: Sequence[Expression]) -> Expression:
    match model:
        case WithIntercept():
            return _of_model(model.model, theta[:-1], columns) + theta[-1]
        case LinearModel():
            return _line(columns, theta)
        case QuadraticModel():
            return _quadratic(columns, *model.unpack(theta, len(columns)))
    raise InputError(
        f"Linear and quadratic models can be exported; this CriterionRanker has a {type(model).__name__}.",
        "score with podium where the model file is.",
    )


@_score.register
def _(ranker: BoostedRanker, cells: Sequence[Cell]) -> Expression:
    columns, rounds = _numbers(cells), ranker.rounds_
    if ranker.weak == "features":
        return _line(columns, ranker.coef_)
    terms = []
    for feature in np.unique(rounds["feature"]):
        here = rounds[rounds["feature"] == feature]
        here = here[np.argsort(here["threshold"])]
        heights = map(constant, [0.0, *np.cumsum(here["alpha"])])
        terms.append(by_threshold(columns[feature], here["threshold"], list(heights)))
    return total(terms)


@_score.register
def _(ranker: ScorecardRanker, cells: Sequence[Cell]) -> Expression:
    terms = [constant(ranker.base_)]
    for k, (j, points) in enumerate(zip(ranker.columns_, ranker.points_, strict=True)):
        cuts, absent = ranker.bins_.cuts[k], float(points[0])
        if ranker.bins_.is_categorical[k]:
            codes = dict(zip(cuts.tolist(), points[1:].astype(float).tolist(), strict=False))
            terms.append(cells[j].by_code(codes, absent, absent))
        else:
            x, heights = cells[j].number(), [constant(float(each)) for each in points[1 : len(cuts) + 2]]
            terms.append(where(missing(x), absent, by_threshold(x, cuts, heights)))
    return total(terms)


@_score.register
def _(ranker: TreeRanker, cells: Sequence[Cell]) -> Expression:
    splits = _Splits(cells)
    return tree_of(_ranking_tree(ranker.tree_, ranker.bins_, splits), splits.columns)


@_score.register
def _(ranker: ForestRanker, cells: Sequence[Cell]) -> Expression:
    splits = _Splits(cells)
    trees = [_ranking_tree(tree, ranker.bins_, splits) for tree in ranker.trees_]
    if ranker.aggregation == "mean" and all((tree.first[1:] < 0).all() for tree in ranker.trees_):
        return forest(splits.columns, trees) / len(trees)
    values = [tree_of(tree, splits.columns) for tree in trees]  # a cell that several ways lead to is there once
    return median(values) if ranker.aggregation == "median" else total(values) / len(values)


@_score.register
def _(ranker: GradientBoostedRanker, cells: Sequence[Cell]) -> Expression:
    read = {"LightgbmTrees": _lightgbm, "XgboostTrees": _xgboost}  # neither library need be there
    splits = _Splits(cells)
    parts = [read[type(one).__name__](one, splits) for one in ranker.models_]
    return total(parts) / len(parts)


def _numbers(cells: Sequence[Cell]) -> list[Expression]:
    return [cell.number() for cell in cells]


def _scaled(ranker: Any, columns: Sequence[Expression]) -> Sequence[Expression]:
    if (scale := ranker._quantiles) is None:
        return columns
    return [interpolate(*one) for one in zip(columns, scale.knots, scale.heights, strict=True)]


def _line(columns: Sequence[Expression], weights: FloatArray) -> Expression:
    return total([x * weight for x, weight in zip(columns, weights, strict=True) if weight != 0])


def _quadratic(columns: Sequence[Expression], matrix: FloatArray, linear: FloatArray) -> Expression:
    """Row by row of the upper triangle, whose entries count twice but for the diagonal."""
    twice = np.triu(matrix) + np.triu(matrix, 1)
    rows = [x * (_line(columns, row) + b) for x, row, b in zip(columns, twice, linear, strict=True) if row.any() or b]
    return total(rows)


class _Splits:
    """The columns that trees split, none of them ever missing: what is, lies beyond all numbers on the side it goes to.

    A split that is no threshold of a number becomes one of a column made for it, of 1 for rows that go left.
    """

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = cells
        self.columns: list[Expression] = []
        self._places: dict[Hashable, int] = {}

    def by_number(
        self, j: int, threshold: float, low: Tree, high: Tree, *, absent_is_low: bool, middle: float = 0.0
    ) -> Tree:
        """A split ``x − middle <= threshold``."""
        end = -LARGEST if absent_is_low else LARGEST

        def make() -> Expression:
            x = self.cells[j].number()
            return filled(x - middle if middle else x, end)

        return self._split((j, end), make, threshold, low, high)

    def by_column(self, key: Hashable, make: Callable[[], Expression], left: Tree, right: Tree) -> Tree:
        """By a column of 1 for rows that go left and 0 for the others."""
        return self._split(key, make, 0.5, right, left)

    def by_codes(self, j: int, codes: dict[float, float], other: float, absent: float, sides: list[Tree]) -> Tree:
        """By codes; of each, of all others and of none, whether it goes left: as tree libraries take them, cut."""
        key = (j, *codes.items(), other, absent)
        return self.by_column(key, lambda: self.cells[j].by_code(codes, other, absent, cut=True), *sides)

    def _split(self, key: Hashable, make: Callable[[], Expression], threshold: float, low: Tree, high: Tree) -> Tree:
        if key not in self._places:
            self._places[key] = len(self.columns)
            self.columns.append(make())
        sides = {"left_child": low, "right_child": high}
        return {"split_feature": self._places[key], "threshold": float(threshold), **sides}


def _ranking_tree(tree: RankingTree, bins: Bins, splits: _Splits) -> Tree:
    """Rules send rows from cell to cell, some by several ways, to the scores of segments."""
    cells: dict[int, Tree] = {}

    def part(at: int) -> Tree:
        if at < 0:
            return cell(-1 - at)
        sides = [part(int(child)) for child in tree.children[at]]
        return _by_bins(int(tree.column[at]), tree.bits[at], bins, splits, sides)

    def cell(number: int) -> Tree:
        if number not in cells:
            is_cut = tree.first[number] >= 0
            leaf = {"leaf_value": float(tree.scores[number])}
            cells[number] = part(int(tree.first[number])) | {"shared": True} if is_cut else leaf
        return cells[number]

    return cell(0)


def _by_bins(j: int, bits: Array, bins: Bins, splits: _Splits, sides: list[Tree]) -> Tree:
    """A split by bins of a column: bin 0 for what is missing or unknown, then those between cuts, or of codes."""
    cuts = bins.cuts[j]
    goes_left = np.unpackbits(bits.view(np.uint8), bitorder="little").astype(np.float64)[: len(cuts) + 2]
    absent, key = goes_left[0], (j, bits.tobytes())
    if bins.is_categorical[j]:
        codes = dict(zip(cuts.tolist(), goes_left[1:].tolist(), strict=False))
        return splits.by_column(key, lambda: splits.cells[j].by_code(codes, absent, absent), *sides)
    known = goes_left[1:]
    turns = np.flatnonzero(np.diff(known))
    if len(turns) == 1:
        low, high = sides if known[0] else sides[::-1]
        return splits.by_number(j, cuts[turns[0]], low, high, absent_is_low=absent == known[0])

    def make() -> Expression:
        x = splits.cells[j].number()
        heights = [constant(height) for height in (known[0], *known[turns + 1])]
        return where(missing(x), absent, by_threshold(x, cuts[turns], heights))

    return splits.by_column(key, make, *sides)


def _lightgbm(trees: Any, splits: _Splits) -> Expression:
    found = trees.booster.dump_model(num_iteration=trees.n_rounds)["tree_info"]
    return forest(splits.columns, [_lightgbm_tree(tree["tree_structure"], splits) for tree in found]) + trees.start


def _lightgbm_tree(split: Tree, splits: _Splits) -> Tree:
    """A missing value is a zero, unless the column had some in training: then each split has a side for it."""
    if "leaf_coeff" in split:
        raise InputError("Trees with constant leaves can be exported; these have lines in them.", "omit linear_tree.")
    if "leaf_value" in split:
        return {"leaf_value": split["leaf_value"]}
    j, threshold = split["split_feature"], split["threshold"]
    sides = [_lightgbm_tree(split[side], splits) for side in ("left_child", "right_child")]
    if split["decision_type"] == "==":
        return splits.by_codes(j, {float(code): 1.0 for code in threshold.split("||")}, 0.0, 0.0, sides)
    if split["missing_type"] == "Zero":
        raise InputError("Trees for which zeros are zeros can be exported.", "omit zero_as_missing.")
    absent_is_low = bool(split["default_left"] if split["missing_type"] == "NaN" else threshold >= 0.0)
    return splits.by_number(j, threshold, *sides, absent_is_low=absent_is_low)


def _xgboost(trees: Any, splits: _Splits) -> Expression:
    """From tree to tree the sum is rounded to single precision, as XGBoost adds."""
    learner = json.loads(trees.booster.save_raw("json"))["learner"]
    booster = learner["gradient_booster"]
    if booster["name"] != "gbtree":
        raise InputError(f"XGBoost's trees can be exported; this booster is {booster['name']!r}.", "omit booster.")
    kept = booster["model"]["trees"][: booster["model"]["iteration_indptr"][trees.n_rounds]]
    start = _start_of(trees)
    leaves = [np.array(tree["split_conditions"], np.float32)[np.array(tree["left_children"]) < 0] for tree in kept]
    largest = abs(start) + sum(float(np.abs(each).max()) for each in leaves)
    sizes = np.abs(np.concatenate([*leaves, np.array([start], np.float32)]))
    step = float(np.spacing(sizes[sizes > 0].min(initial=1.0)))
    score = constant(start)
    for tree in kept:
        score = single(score + forest(splits.columns, [_xgboost_tree(tree, 0, splits, trees.origin)]), step, largest)
    return score


def _start_of(trees: Any) -> float:
    """What XGBoost adds trees to: the score of any row where all leaves are 0."""
    model = json.loads(trees.booster.save_raw("json"))
    for tree in model["learner"]["gradient_booster"]["model"]["trees"]:
        inner = np.array(tree["left_children"]) >= 0
        tree["split_conditions"] = np.where(inner, tree["split_conditions"], 0.0).tolist()
    empty = replace(trees, booster=type(trees.booster)(model_file=bytearray(json.dumps(model).encode())))
    return float(empty.scores(np.zeros((1, empty.booster.num_features())))[0])


def _xgboost_tree(tree: Tree, at: int, splits: _Splits, origin: FloatArray | None) -> Tree:
    """Splits are by x < threshold in single precision, categories of a split go right, and all others left."""
    if tree["left_children"][at] < 0:
        return {"leaf_value": float(np.float32(tree["split_conditions"][at]))}
    j, absent_is_left = tree["split_indices"][at], bool(tree["default_left"][at])
    sides = [_xgboost_tree(tree, tree[side][at], splits, origin) for side in ("left_children", "right_children")]
    if tree["split_type"][at]:
        which = tree["categories_nodes"].index(at)
        begin = tree["categories_segments"][which]
        codes = tree["categories"][begin : begin + tree["categories_sizes"][which]]
        return splits.by_codes(j, dict.fromkeys(map(float, codes), 0.0), 1.0, float(absent_is_left), sides)
    middle = 0.0 if origin is None else origin[j]
    return splits.by_number(
        j, _below(tree["split_conditions"][at]), *sides, absent_is_low=absent_is_left, middle=middle
    )


def _below(threshold: float) -> float:
    """The largest number that is less than a threshold after it was rounded to single precision, to even if halfway."""
    upper = np.float32(threshold)
    halfway = (float(upper) + float(np.nextafter(upper, np.float32(-np.inf)))) / 2
    return float(np.nextafter(halfway, -np.inf)) if upper.view(np.int32) % 2 == 0 else halfway
