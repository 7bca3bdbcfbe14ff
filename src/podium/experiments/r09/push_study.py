"""The cells of a table of R09, each within the distribution of ours over random splits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit, StratifiedKFold

from podium import BoostedRanker, LinearRanker, metrics
from podium.datasets import load_table
from podium.experiments.claims import bootstrap_shares
from podium.experiments.experiment import Finding, Settings
from podium.roc import RocCurve

# The words of the rightmost columns.
GROUPS = {
    "small p": ("p = 1", "p = 2", "p = 4"),
    "small or medium p": ("p = 1", "p = 2", "p = 4", "p = 8", "p = 16"),
    "medium p": ("p = 4", "p = 8", "p = 16"),
    "medium or large p": ("p = 4", "p = 8", "p = 16", "p = 64", "IR"),
    "IR or large p": ("p = 16", "p = 64", "IR"),
}


class PushCells:
    """Our values, by split, measure and ranker, in units of the printed ones."""

    def __init__(self, printed: npt.NDArray[np.float64], ours: npt.NDArray[np.float64]) -> None:
        # The paper removed powers of ten and does not say which: those that bring our medians nearest.
        powers = np.rint(np.mean(np.log10(np.median(ours, axis=0) / printed), axis=1, keepdims=True))
        self.printed, self.ours, self.powers = printed, ours / 10**powers, powers.astype(int).ravel()
        self.mean, self.deviation = self.ours.mean(axis=0), self.ours.std(axis=0, ddof=1)
        self.low, self.lower, self.median, self.upper, self.high = np.quantile(
            self.ours, (0, 0.25, 0.5, 0.75, 1), axis=0
        )
        self.inside = (self.low <= printed) & (printed <= self.high)
        self.below = np.mean(self.ours <= printed, axis=0)
        central = np.quantile(self.ours, (0.025, 0.975), axis=0)
        self.central = (central[0] <= printed) & (printed <= central[1])

    @classmethod
    def of(cls, study: PushStudy, reading: str, settings: Sequence[Settings], findings: Sequence[Finding]) -> PushCells:
        """The cells of one reading of the labels."""
        ours = [f["test"] for s, f in zip(settings, findings, strict=True) if s["positives"] == reading]
        return cls(np.array([study.printed[measure] for measure in MEASURES]), np.array(ours))

    def best(self, measure: str) -> str:
        """The ranker with the best mean."""
        return best(self.mean, measure)

    def shares(self, said: Mapping[str, str]) -> dict[str, float]:
        """In which share of resamples of the splits the best of each measure is one of this group."""

        def judge(taken: Sequence[np.ndarray]) -> dict[str, bool]:
            mean = self.ours[taken[0]].mean(axis=0)
            return {measure: best(mean, measure) in GROUPS[group] for measure, group in said.items()}

        return bootstrap_shares(judge, [len(self.ours)])

    @property
    def gain(self) -> tuple[npt.NDArray[np.float64], float]:
        """R_16 at p = 64 over R_16 at p = 1, what the push gains: of every split, and as printed."""
        measure, (of, over) = list(MEASURES).index("R_16"), (list(RANKERS).index(p) for p in ("p = 64", "p = 1"))
        return self.ours[:, measure, of] / self.ours[:, measure, over], float(
            self.printed[measure, of] / self.printed[measure, over]
        )

    @property
    def joint(self) -> float:
        """How often a table of ours lies as far out as the printed one, all cells and all gains over p = 1 at once.

        The farthest of the logarithms of the cells and of their ratios to p = 1, in standard deviations of the splits
        and the print taken together: if the print were one more split, this p-value would be exact.
        """
        logs = np.log(np.concatenate([self.printed[None], self.ours]))
        tables = np.concatenate([logs, logs[:, :, 1:] - logs[:, :, :1]], axis=2).reshape(len(logs), -1)
        spread = tables.std(axis=0)
        varies = spread > 1e-12
        farthest = (np.abs(tables - tables.mean(axis=0))[:, varies] / spread[varies]).max(axis=1, initial=0.0)
        return float(np.mean(farthest >= farthest[0]))


def best(mean: npt.NDArray[np.float64], measure: str) -> str:
    """The ranker with the best value of a measure."""
    row = mean[list(MEASURES).index(measure)]
    return list(RANKERS)[int(np.argmax(row) if measure in LARGER_IS_BETTER else np.argmin(row))]


# A list: labels and scores.
Ranked = tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]

# The columns of Tables 3 to 5. P-Norm Push: 100 rounds on the columns as weak rankers; IR Push: to the optimum.
RANKERS: dict[str, BoostedRanker | LinearRanker] = {
    **{f"p = {p}": BoostedRanker(f"push:{p}", n_rounds=100) for p in (1, 2, 4, 8, 16, 64)},
    "IR": LinearRanker("ir-push", shrinkage=0),
}
# The rows.
MEASURES: dict[str, Callable[..., float]] = {
    "AUC": metrics.auc,
    **{f"R_{p}": partial(metrics.push_risk, p=p) for p in (2, 4, 8, 16)},
    "DCG": partial(metrics.dcg, base=np.e, ties="worst"),
    "AveR": partial(metrics.average_reciprocal_rank, normalize=False, ties="worst"),
}
LARGER_IS_BETTER = ("AUC", "DCG", "AveR")
PARTS = ("training", "test")
TOP = 0.2  # of the negatives: there the curves have a finer grid


@dataclass(frozen=True)
class PushStudy:
    """A table of the paper: what it prints, and how its data are read and split.

    Parameters
    ----------
    table : str
        As :func:`podium.datasets.load_table` knows it.
    printed : mapping
        By measure, one number for each of ``RANKERS``.
    said : mapping
        By measure, which of ``GROUPS`` the rightmost column names.
    positives : mapping
        Readings of which class is positive, the paper's first: whether it is the positive class of the table.
    n_columns : int, optional
        Only so many, the last ones.
    n_train : int, optional
        Rows to train on, drawn at random, all others to test on; without it the mean over three folds, each with a
        third of both classes. (The paper says so of the positives of housing, about 12 of 35 in each test set, and
        nothing of ionosphere.)
    """

    number: int
    figure: int
    table: str
    name: str
    printed: Mapping[str, Sequence[float]]
    said: Mapping[str, str]
    positives: Mapping[str, bool]
    n_columns: int | None = None
    n_train: int | None = None
    errata: Sequence[str] = field(default=())

    @property
    def study(self) -> str:
        return f"r09-{self.table}"

    def trials(self, quick: bool) -> list[Settings]:
        """One per split and reading."""
        return [{"positives": p, "split": i} for p in self.positives for i in range(5 if quick else 200)]

    def trial(self, settings: Settings, rng: np.random.Generator) -> Finding:
        """All measures of all rankers in training and test; of the first split also the ROC curves."""
        frame, is_positive = load_table(self.table)
        X = frame.to_numpy(dtype=np.float64)[:, -(self.n_columns or frame.shape[1]) :]
        y = is_positive == self.positives[settings["positives"]]
        values: list[list[list[list[float]]]] = []
        curves: dict[str, dict[str, list[float]]] = {}
        for rows in self._splits(X, y, int(rng.integers(2**31))):
            fitted = {name: clone(ranker).fit(X[rows[0]], y[rows[0]]) for name, ranker in RANKERS.items()}
            parts = [{name: (y[part], f.decision_function(X[part])) for name, f in fitted.items()} for part in rows]
            values.append(
                [[[measure(*at) for at in lists.values()] for measure in MEASURES.values()] for lists in parts]
            )
            if settings["split"] == 0 and not curves:
                curves = dict(zip(PARTS, map(_curves, parts), strict=True))
        means = dict(zip(PARTS, np.mean(values, axis=0).tolist(), strict=True))
        return {**means, "curves": curves} if curves else means

    def _splits(
        self, X: npt.NDArray[np.float64], y: npt.NDArray[np.bool_], seed: int
    ) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
        """Rows to train on and rows to test on."""
        if self.n_train is None:
            return StratifiedKFold(3, shuffle=True, random_state=seed).split(X, y)
        return ShuffleSplit(1, train_size=self.n_train, random_state=seed).split(X)


def _curves(lists: Mapping[str, Ranked]) -> dict[str, list[float]]:
    """True positives of every ranker at the same numbers of false positives, closer to each other at the top."""
    y, _ = next(iter(lists.values()))
    n_pos, n_neg = int(y.sum()), int((~y).sum())
    false = np.unique(np.rint(np.concatenate([np.linspace(0, n_neg, 201), np.linspace(0, TOP * n_neg, 201)])))
    true = {name: n_pos * RocCurve.from_scores(*ranked).at(false / n_neg) for name, ranked in lists.items()}
    return {"false positives": false.tolist(), **{name: column.tolist() for name, column in true.items()}}
