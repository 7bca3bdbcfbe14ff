"""A path of cuts to choose from after looking: exact on tiny samples, and never better than stated on average."""

import itertools

import numpy as np
import pytest

from podium.exceptions import InputError
from podium.shortlist import by_fdr, path
from podium.shortlist.choosing import _inflation, _offset, _stated
from shortlist import naive_shortlist as naive


def draw(seed, n, ties=False, share=0.4):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    s = rng.normal(size=n) + 2.5 * y
    return y, np.round(2 * s) / 2 if ties else s


@pytest.mark.parametrize(("n", "m"), [(3, 1), (4, 3), (2, 6), (6, 4)])
def test_the_inflation_is_the_expected_largest_ratio_over_all_orders(n, m):
    exact = naive.largest_ratio(n, m, _offset(n, m))
    assert exact <= _inflation(n, m) < 1.05 * exact  # three standard errors are added


def test_of_long_samples_the_inflation_is_hardly_more_than_by_simulating_every_place():
    n, m, ratios = 300, 400, []
    rng = np.random.default_rng(0)
    for _ in range(2000):
        black = rng.permutation(n + m) < n
        whites = np.append(np.cumsum(~black)[black], m)
        ratios.append(np.max(whites * (n + 1) / m / (np.arange(1, n + 2) + _offset(n, m))))
    assert np.mean(ratios) - 3 * np.std(ratios) / 2000**0.5 < _inflation(n, m) < 1.05 * np.mean(ratios)


@pytest.mark.parametrize("scores", [np.arange(9.0), np.array([0, 1, 1, 2, 3, 3, 3, 4, 5.0])], ids=["distinct", "ties"])
@pytest.mark.parametrize("n_pos", [0, 1, 4])
@pytest.mark.parametrize("m", [2, 4])
def test_over_all_choices_of_the_list_the_mean_of_the_largest_ratio_is_at_most_one(scores, n_pos, m):
    y = np.arange(9) % 2 < 1 if n_pos == 4 else np.arange(9) >= 9 - n_pos
    largest = []
    for new in map(list, itertools.combinations(range(9), m)):
        rest = np.delete(np.arange(9), new)
        _, n_rows, shares = _stated(np.sort(scores[rest][~y[rest]]), len(rest), scores[new])
        false = [np.sum(~y[new] & (scores[new] >= t)) for t in np.unique(scores[new])[::-1]]
        largest.append(np.max(false / n_rows / shares))
    assert np.mean(largest) <= 1
    if n_pos == 0 and len(set(scores)) == 9:
        assert np.mean(largest) > 0.95  # then nothing is given away


@pytest.mark.parametrize("share", [0.4, 0.05])
@pytest.mark.parametrize("ties", [True, False])
def test_shares_are_those_of_the_definition_and_cuts_that_another_beats_are_left_out(ties, share):
    (y, s), (_, s_new) = draw(0, 300, ties, share), draw(1, 200, ties, share)
    cuts = path(y, s, s_new)
    stated = naive.stated_shares(y, s, s_new, _inflation(300, 200), _offset(300, 200))
    kept = [
        (t, k, said)
        for i, (t, k, said) in enumerate(stated)
        if said < 1 and all(said < other for *_, other in stated[i + 1 :])
    ]
    assert cuts.thresholds.tolist() == [t for t, *_ in kept]
    assert cuts.n_rows.tolist() == [k for _, k, _ in kept]
    assert cuts.shares == pytest.approx([said for *_, said in kept], rel=1e-12)
    assert len(kept) > 1
    assert max(cuts.shares) < 1
    assert share == 0.4 or max(said for *_, said in stated) > 1


def test_a_stated_share_in_a_sentence_is_never_rounded_down():
    (y, s), (_, s_new) = draw(0, 1000), draw(1, 800)
    cuts = path(y, s, s_new)
    for n_rows, share in zip(cuts.n_rows[::20], cuts.shares[::20], strict=True):
        said = float(cuts.choose(n_rows=int(n_rows)).guarantee.split("them: ")[1].split(" %")[0]) / 100
        assert share <= said + 1e-12 < share + 0.0011


def test_the_longest_cut_that_is_allowed_is_chosen():
    (y, s), (_, s_new) = draw(0, 1000), draw(1, 800)
    cuts = path(y, s, s_new)
    for n_rows in (int(cuts.n_rows[0]), 250, 799):
        chosen = cuts.choose(n_rows=n_rows)
        assert chosen.n_chosen == max(k for k in cuts.n_rows if k <= n_rows)
        assert np.array_equal(chosen.chosen, s_new >= chosen.threshold)
    chosen = cuts.choose(share=0.3)
    assert chosen.n_chosen == max(k for k, share in zip(cuts.n_rows, cuts.shares, strict=True) if share <= 0.3)
    assert 0.5 * by_fdr(y, s, s_new, fdr=0.3).n_chosen < chosen.n_chosen < by_fdr(y, s, s_new, fdr=0.3).n_chosen
    assert cuts.choose(n_rows=1).n_chosen == 0
    assert cuts.choose(n_rows=1).guarantee.startswith("No cut of the path")


def test_where_nothing_can_be_stated_the_path_is_empty_and_says_so():
    cuts = path([0, 1, 0], [3.0, 1.0, 2.0], [0.0, 4.0])
    assert len(cuts.thresholds) == 0
    assert repr(cuts).startswith("No cut of these 2 rows")
    assert cuts.choose(share=0.5).n_chosen == 0


@pytest.mark.parametrize("asked", [{}, {"n_rows": 3, "share": 0.5}, {"share": 1.5}, {"n_rows": 0}])
def test_a_choice_takes_rows_or_a_share(asked):
    with pytest.raises(InputError, match=r"n_rows|share"):
        path(*draw(0, 100), [1.0, 2.0]).choose(**asked)
