"""Estimators inside a ranker: their parameters by name, their weights, their scores."""

from __future__ import annotations

from typing import Any, Self

from sklearn.utils.validation import has_fit_parameter

from podium._types import FloatArray
from podium.metrics.scorers import estimator_scores


class NamedMembers:
    """Parameters of the members that ``estimators`` lists, as in scikit-learn: ``lr__C``, or ``lr`` as a whole."""

    estimators: Any

    def _listed_members(self) -> Any:
        """The list that ``estimators`` is, or stands for."""
        return self.estimators

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; with ``deep`` those of members, too.

        Parameters
        ----------
        deep : bool
            Whether to list members, and their parameters as ``member__parameter``.
        """
        own: dict[str, Any] = super().get_params(deep=deep)  # type: ignore[misc]  # of the estimator
        if not deep:
            return own
        members = dict(named_pairs(self._listed_members()))
        nested = {
            f"{name}__{key}": value
            for name, member in members.items()
            if hasattr(member, "get_params")
            for key, value in member.get_params(deep=True).items()
        }
        return {**members, **nested, **own}

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of members by ``member__parameter``.

        Parameters
        ----------
        **params : dict
            Values by name.
        """
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        listed = self._listed_members()
        named = named_pairs(listed)
        if {name for name, _ in named} & {key.partition("__")[0] for key in params}:
            self.estimators = listed  # a word that stands for members cannot hold their parameters
        whole = {name: params.pop(name) for name, _ in named if name in params}
        if whole:
            self.estimators = [(each[0], whole.get(*each)) if each in named else each for each in listed]
        super().set_params(**params)  # type: ignore[misc]  # of the estimator
        return self


def named_pairs(rankers: Any) -> list[tuple[str, Any]]:
    """The members that have names of their own; of what is no list, none."""
    entries = rankers if isinstance(rankers, list | tuple) else []
    return [entry for entry in entries if isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], str)]


def weights_for(estimator: Any, weight: FloatArray | None) -> dict[str, FloatArray]:
    """Weights as arguments of ``fit``, where they are understood: of a pipeline, by its last step."""
    if weight is None:
        return {}
    name, last = estimator.steps[-1] if hasattr(estimator, "steps") else ("", estimator)
    key = f"{name}__sample_weight" if name else "sample_weight"
    return {key: weight} if has_fit_parameter(last, "sample_weight") else {}


def raw_scores(fitted: Any, X: Any) -> FloatArray:
    """Scores of a ranker, or of a pipeline that ends in one, before the threshold is taken off."""
    last = fitted[-1] if hasattr(fitted, "steps") else fitted
    return estimator_scores(fitted, X) + getattr(last, "threshold_", 0.0)
