"""Splits that keep units whole and the future out of the past."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from podium import StackedRanker
from podium.exceptions import DegenerateSampleError
from podium.selection.candidates import fit_candidate
from podium.selection.dependence import Dependence


def rows(n_rows=400):
    rng = np.random.default_rng(0)
    return rng.random(n_rows) < 0.3, rng


def test_the_latest_rows_are_held_out_and_no_moment_is_on_both_sides():
    y, rng = rows()
    time = rng.integers(50, size=400).astype(float)
    part = Dependence(time).split(y, 0.25, rng)
    assert time[part.training].max() < time[part.held_out].min()
    assert len(part.held_out) == pytest.approx(100, abs=int(np.bincount(time.astype(int)).max()))
    assert sorted(np.concatenate([part.training, part.held_out])) == list(range(400))
    assert (np.diff(time[part.training]) < 0).any()  # learners that look at the first rows must not see the oldest


def test_rolling_windows_each_learn_from_what_came_before():
    y, rng = rows()
    time = rng.permutation(400).astype(float)
    parts = Dependence(time).splits(y, 0.25, 4, rng)
    assert [(len(part.training), len(part.held_out)) for part in parts] == [(300, 100), (225, 75), (150, 50)]
    for part in parts:
        assert time[part.training].max() < time[part.held_out].min()


def test_units_are_held_out_whole():
    y, rng = rows()
    group = rng.integers(60, size=400)
    for part in Dependence(group=group).splits(y, 0.25, 4, rng):
        assert not set(group[part.training]) & set(group[part.held_out])
        assert len(part.held_out) == pytest.approx(100, abs=int(np.bincount(group).max()))


def test_units_are_drawn_again_where_a_part_lacks_a_class():
    group = np.arange(40).repeat(6)
    is_positive = group < 2  # both of these are held out, or neither, in five draws of eight
    for seed in range(50):
        drawn = Dependence(group=group).split(is_positive, 0.25, np.random.default_rng(seed))
        assert is_positive[drawn.held_out].sum() == is_positive[drawn.training].sum() == 6


def test_independent_rows_are_held_out_by_class():
    y, rng = rows()
    part = Dependence().split(y, 0.25, rng)
    assert y[part.held_out].sum() == round(0.25 * y.sum())


def test_a_part_of_one_class_gets_a_sentence():
    time = np.arange(100.0)
    with pytest.raises(DegenerateSampleError, match="split in time, the 30 rows to judge by have 0 positive ones"):
        Dependence(time).split(time < 20, 0.3, np.random.default_rng(0))


def test_folds_of_a_stack_keep_units_whole():
    seen = []

    class Watching(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.append(set(X[:, 1]))
            return super().fit(X, y)

    y, rng = rows()
    group = rng.integers(60, size=400)
    X = np.column_stack([rng.normal(size=400), group])
    fit_candidate(StackedRanker([("watching", Watching())], refit=False), X, y, None, Dependence(group=group))
    assert len(seen) == 5
    assert sum(len(set(group) - learned) for learned in seen) == len(set(group))  # each is left out once, as a whole
