"""Observed labels: what is accepted, what estimates and bounds are, against enumeration."""

from itertools import product

import numpy as np
import pytest

from podium import inference, metrics
from podium._fast.gaps import stretches
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError
from podium.inference.observed import DesignEstimate, limits_between, measure_of
from podium.labels import Observed, lists
from podium.labels.design import Design
from podium.labels.lists import PartlyLabeled

RNG = np.random.default_rng(5)
SCORES = np.array([3.0, 1.0, 2.0, 2.0, 5.0, 4.0, 0.0, 2.0])
LABELS = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
SPECS = ["auc", "power:3", "smooth-top:0.7", "recall-at:3", "precision-at:4", "lift-at:2", "prevalence"]


def value(spec, labels, scores=SCORES):
    """The measure of a list that is labeled throughout, by the metrics."""
    name, _, k = spec.partition(":")
    if spec == "prevalence":
        return labels.mean()
    if name.endswith("-at"):
        return getattr(metrics, name.replace("-", "_"))(labels, scores, k=int(k))
    return metrics.rank_statistic(labels, scores, spec)


def design_of(labels, inclusion, scores=SCORES):
    rows = PartlyLabeled.of(Observed(labels, inclusion), scores)
    return Design([rows]), rows


def world(n_rows=400, seed=0, top=40, share=0.25):
    """Scores, all labels, labels observed in the top and of a share of the rest, and inclusion probabilities."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n_rows)
    y = (rng.random(n_rows) < 1 / (1 + np.exp(2 - 1.5 * scores))).astype(float)
    inclusion = np.where(np.argsort(np.argsort(-scores)) < top, 1.0, share)
    drawn = rng.random(n_rows) < inclusion
    return scores, y, np.where(drawn, y, np.nan), inclusion


@pytest.mark.parametrize("spec", SPECS)
def test_measures_of_whole_labels_are_those_of_the_metrics(spec):
    rows = PartlyLabeled.of(Observed(LABELS), SCORES)
    assert measure_of(rows, spec).at(LABELS) == pytest.approx(value(spec, LABELS), rel=1e-12)


@pytest.mark.parametrize("spec", SPECS)
def test_bounds_are_the_extremes_over_all_labels_of_the_other_rows(spec):
    observed = np.array([1.0, np.nan, np.nan, 0.0, np.nan, np.nan, np.nan, np.nan])
    gaps = np.isnan(observed)
    values = []
    for filled in product([0.0, 1.0], repeat=int(gaps.sum())):
        labels = observed.copy()
        labels[gaps] = filled
        values.append(value(spec, labels))
    known = inference.interval(Observed(observed), SCORES, **as_argument(spec))
    assert (known.low, known.high) == pytest.approx((min(values), max(values)), rel=1e-12)
    assert not hasattr(known, "estimate")


def as_argument(spec):
    return (
        {"metric": spec}
        if (spec.endswith(("e", "3", "4", "2")) and "-at" in spec) or spec == "prevalence"
        else {"phi": spec}
    )


@pytest.mark.parametrize("spec", SPECS)
def test_slopes_are_differences_of_the_measure(spec):
    labels = LABELS * 0.8 + 0.05
    measure = measure_of(PartlyLabeled.of(Observed(LABELS), SCORES), spec)
    for i, slope in enumerate(measure.slopes(labels)):
        step = np.zeros(8)
        step[i] = 1e-6
        difference = (measure.at(labels + step) - measure.at(labels - step)) / 2e-6
        assert slope == pytest.approx(difference, rel=0.2, abs=0.03)  # W_min and W_max are broken lines in the count


def test_totals_are_unbiased_over_all_samples_of_the_design_whatever_is_predicted():
    """Every sample of 2 of the 6 rows below the top two: the mean of the estimated totals is the total."""
    order = np.argsort(-SCORES, kind="stable")
    rest = order[2:]
    inclusion = np.full(8, 2 / 6)
    inclusion[order[:2]] = 1.0
    worth = np.linspace(-1, 2, 8)
    estimates = []
    for i in range(6):
        for j in range(i):
            observed = np.full(8, np.nan)
            drawn = [*order[:2], rest[i], rest[j]]
            observed[drawn] = LABELS[drawn]
            design, _ = design_of(observed, inclusion)
            design.predicted = np.linspace(0.1, 0.7, 8)  # the same in every sample: then the estimator is unbiased
            estimates.append(worth @ design.pseudo_labels)
    assert np.mean(estimates) == pytest.approx(worth @ LABELS, rel=1e-12)


def test_the_variance_is_that_of_a_simple_random_draw_in_every_sample():
    """N²(1 − n/N)/n times the variance of the residuals drawn, for all samples of 3 of 8 rows with both labels."""
    inclusion, worth = np.full(8, 3 / 8), np.linspace(-1, 2, 8)
    predicted = np.full(8, 0.999)  # all but sure: what predictions lead one to expect is next to nothing
    variances, by_hand = [], []
    for drawn in product([False, True], repeat=8):
        if sum(drawn) == 3 and len(set(LABELS[list(drawn)])) == 2:
            design, _ = design_of(np.where(drawn, LABELS, np.nan), inclusion)
            design.predicted = predicted
            variances.append(design.covariance(worth[None])[0, 0])
            residual = (worth * (LABELS - predicted))[list(drawn)]
            by_hand.append(8**2 * (1 - 3 / 8) / 3 * residual.var(ddof=1))
    assert len(variances) == 48
    assert variances == pytest.approx(by_hand, rel=1e-9)


def test_metrics_and_intervals_say_the_same():
    scores, _, observed, inclusion = world()
    labels = Observed(observed, inclusion)
    assert metrics.auc(labels, scores) == pytest.approx(inference.interval(labels, scores).estimate, rel=1e-12)
    cubes = inference.interval(labels, scores, "power:3").estimate
    assert metrics.rank_statistic(labels, scores, "power:3") == pytest.approx(cubes, rel=1e-12)
    recall = inference.interval(labels, scores, metric="recall-at:60").estimate
    assert metrics.recall_at(labels, scores, k=60) == pytest.approx(recall, rel=1e-12)


def test_labels_without_gaps_mean_what_arrays_mean():
    scores, y, _, _ = world()
    assert inference.interval(Observed(y), scores) == inference.interval(y, scores)
    assert metrics.auc(Observed(y), scores) == metrics.auc(y, scores)
    assert inference.tpr_interval(Observed(y), scores, fpr=0.1) == inference.tpr_interval(y, scores, fpr=0.1)


def test_what_is_labeled_for_sure_is_known_for_sure():
    scores, y, observed, inclusion = world()
    hits = inference.interval(Observed(observed, inclusion), scores, metric="precision-at:40")
    assert hits.low == hits.estimate == hits.high == pytest.approx(metrics.precision_at(y, scores, k=40))


def test_the_variance_is_at_least_that_of_predicted_labels_also_if_some_are_out():
    """Residuals of nothing: then each row without a label adds (1/π − 1) c² m (1 − m), π as far as labels came."""
    inclusion = np.array([1, 0.5, 0.5, 0.5, 0.8, 0.8, 0.5, 0.8])
    observed = np.array([1, 0, np.nan, np.nan, 1, 0, 1, np.nan])
    design, _ = design_of(observed, inclusion)
    design.predicted = np.where(np.isnan(observed), 0.3, np.nan_to_num(observed))
    slopes, by_hand = np.linspace(-1, 2, 8), 0.0
    came = 4 / inclusion[1:].sum()
    for i in range(1, 8):
        chance = design.predicted[i]
        by_hand += slopes[i] ** 2 * chance * (1 - chance) * (1 / (came * inclusion[i]) - 1)
    assert by_hand > 0.3
    assert design.covariance(slopes[None])[0, 0] == pytest.approx(by_hand, rel=1e-12)


def test_limits_lie_on_the_logit_scale_between_the_worst_and_the_best_value():
    low, high, error = limits_between(0.2, 0.8, 0.5, 0.01, 0.95)
    reach = 1.959963984540054 * 0.1 / 0.6 / 0.25
    assert (low, high) == pytest.approx((0.2 + 0.6 / (1 + np.exp(reach)), 0.2 + 0.6 / (1 + np.exp(-reach))), rel=1e-12)
    assert error == pytest.approx(0.1)
    assert limits_between(0.2, 0.8, 0.2, 0.01, 0.95).low == 0.2


def test_labels_that_are_out_are_said_to_count_as_not_drawn():
    scores, y, observed, inclusion = world(4000, share=0.5)
    rng = np.random.default_rng(2)
    days = np.where(np.isnan(observed), np.nan, rng.exponential(1 + 2 * y))
    days[inclusion == 1] = 0
    nothing = "estimated for all 4,000 rows from "
    all_came = inference.interval(Observed(observed, inclusion, days), scores).note
    assert all_came == f"{nothing}{np.isfinite(observed).sum():,} labels"
    early = np.where(days > 1, np.nan, observed)
    n_out = int((days > 1).sum())
    sentence = "rows are out and count as not drawn, which is right if late labels are like early ones"
    seen = inference.interval(Observed(early, inclusion, days), scores).note
    assert f"; labels of {n_out:,} {sentence}" in seen
    short = inference.interval(Observed(early, inclusion), scores).note
    assert short.endswith(f"; labels of {round(inclusion.sum() - np.isfinite(early).sum()):,} {sentence}")
    shuffled = np.where(np.isnan(days), np.nan, rng.random(4000))
    assert inference.interval(Observed(early, inclusion, shuffled), scores).note.endswith(sentence)


def test_positives_that_come_later_are_named():
    scores, y, observed, inclusion = world(4000, share=0.5)
    later = np.where(np.isnan(observed), np.nan, y + np.arange(4000) / 4000)
    out = np.where(later > 1.8, np.nan, observed)
    for days, first in ((later, "negatives came first, so that estimates count too few"), (-later, "positives came")):
        out = np.where((np.abs(days) > 1.8) & (inclusion < 1), np.nan, observed)
        assert f"they are not: {first}" in inference.interval(Observed(out, inclusion, days), scores).note
    dates = np.datetime64("2020-01-01") + np.where(np.isnan(later), 0, later * 100).astype("timedelta64[D]")
    dates[np.isnan(later)] = np.datetime64("NaT")
    assert Observed(out, inclusion, dates).n_out == (np.isnan(out) & ~np.isnan(later)).sum()
    assert "negatives came first" in inference.interval(Observed(out, inclusion, dates), scores).note


def test_intervals_cover_the_value_of_the_whole_list():
    """200 lists; a share of .9 would be refuted at four standard errors if the level held."""
    covered = dict.fromkeys(("auc", "power:3"), 0) | {"recall-at:80": 0, "tpr": 0}
    for seed in range(200):
        scores, y, observed, inclusion = world(seed=seed)
        labels = Observed(observed, inclusion)
        for spec in ("auc", "power:3"):
            known = inference.interval(labels, scores, spec)
            covered[spec] += known.low <= metrics.rank_statistic(y, scores, spec) <= known.high
        known = inference.interval(labels, scores, metric="recall-at:80")
        covered["recall-at:80"] += known.low <= metrics.recall_at(y, scores, k=80) <= known.high
        rate = inference.tpr_interval(labels, scores, fpr=0.1)
        covered["tpr"] += rate.low <= metrics.tpr_at_fpr(y, scores, 0.1) <= rate.high
    assert min(covered.values()) >= 180, covered


def test_scorers_are_compared_on_the_whole_list():
    scores, y, observed, inclusion = world(2000)
    noisy = scores + np.random.default_rng(1).normal(size=2000)
    difference = inference.compare(Observed(observed, inclusion), scores, noisy)
    assert difference.difference == pytest.approx(difference.estimate_a - difference.estimate_b, rel=1e-9)
    alone = metrics.auc(Observed(observed, inclusion), scores)
    assert difference.estimate_a == pytest.approx(alone, abs=2e-3)  # labels are predicted from both scores here
    assert difference.low <= metrics.auc(y, scores) - metrics.auc(y, noisy) <= difference.high
    same = inference.compare(Observed(observed, inclusion), scores, scores)
    assert (same.difference, same.pvalue) == (0, 1)


def test_sampling_weights_are_no_copies():
    scores, y, _, _ = world(3000)
    propensity = 1 / (1 + np.exp(1 - scores))
    kept = np.random.default_rng(3).random(3000) < propensity
    given = y[kept], scores[kept]
    weight = 1 / propensity[kept]
    sampled = inference.interval(*given, sample_weight=weight, weights="sampling")
    scaled = inference.interval(*given, sample_weight=7 * weight, weights="sampling")
    assert (scaled.low, scaled.high) == pytest.approx((sampled.low, sampled.high), rel=1e-12)
    copies = inference.interval(*given, sample_weight=weight)
    assert "weights='sampling'" in copies.note
    assert "weights='sampling'" not in sampled.note
    assert sampled.high - sampled.low > 1.3 * (copies.high - copies.low)
    alike = inference.interval(*given, sample_weight=np.full(kept.sum(), 3.0), weights="sampling")
    plain = inference.interval(*given)
    assert (alike.low, alike.high) == pytest.approx((plain.low, plain.high), abs=2e-3)


@pytest.mark.parametrize(
    ("y", "inclusion", "sentence"),
    [
        ([1, 0, None], [1, 1, 0], r"inclusion must be in \(0, 1\]; got 0"),
        ([1, 0, None], [1, 0, 0.5], "A labeled row cannot have inclusion 0; got 1 such"),
        ([1, 0, None], [1, 1, 1], "A row of inclusion 1 must have a label; got 1 without"),
        ([1, 0, None], [1, 1.5, 0.5], r"inclusion must be in \(0, 1\]; got 1.5"),
        ([1, 0, None], [1, 1], "one probability for every row of the list; got 2 for 3"),
        ([None, None], None, "need at least one; all 2 are missing"),
    ],
)
def test_bad_designs_get_a_sentence(y, inclusion, sentence):
    with pytest.raises(InputError, match=sentence):
        Observed(y, inclusion)


def test_labels_seen_tomorrow_are_refused():
    with pytest.raises(InputError, match="cannot have been observed after today; got 1 such"):
        Observed([1, 0], when=np.array(["2020-01-01", "2999-01-01"], dtype="datetime64[D]"))


def test_points_for_the_whole_list_need_a_design():
    scores, _, observed, inclusion = world()
    with pytest.raises(InputError, match="give no estimate for the whole list unless inclusion says"):
        metrics.auc(Observed(observed), scores)
    with pytest.raises(InputError, match="A comparison on labels with gaps needs inclusion"):
        inference.compare(Observed(observed), scores, -scores)
    with pytest.raises(InputTypeError, match="This function takes labels without gaps"):
        inference.roc_band(Observed(observed, inclusion), scores)
    with pytest.raises(InputError, match="there is no method"):
        inference.interval(Observed(observed, inclusion), scores, method="delong")
    with pytest.raises(InputError, match="at least 2 labels of rows that were drawn at random"):
        metrics.auc(Observed(np.where(inclusion == 1, observed, np.nan), inclusion), scores)
    with pytest.raises(DegenerateSampleError, match="labeled rows of both classes"):
        metrics.auc(Observed(np.where(observed == 1, np.nan, observed)[40:], np.full(360, 0.3)), scores[40:])


def test_text_labels_and_missing_values_of_pandas():
    import pandas as pd

    y = pd.array(["yes", "no", None, "no"], dtype="string")
    known = inference.interval(Observed(y), [4, 3, 2, 1], pos_label="yes")
    assert (known.n_labeled, known.n_rows) == (3, 4)
    assert str(known) == "AUC of all 4 rows: between 0.750 and 1.000, whatever the labels of the 1 rows without one"


def test_estimates_of_similar_probabilities_are_stratified():
    scores, y, _, _ = world(3000)
    inclusion = np.clip(1 / (1 + np.exp(1 - scores)), 0.05, 1)
    observed = np.where(np.random.default_rng(8).random(3000) < inclusion, y, np.nan)
    estimate = inference.interval(Observed(observed, inclusion), scores)
    assert estimate.low < metrics.auc(y, scores) < estimate.high
    design, rows = design_of(observed, inclusion, scores)
    assert len(np.unique(design.stratum)) == 19
    per_stratum = np.bincount(design.stratum, design.weight)
    assert per_stratum == pytest.approx(np.bincount(design.stratum))
    assert isinstance(DesignEstimate.of(design, rows, measure_of(rows, "auc")), DesignEstimate)


def test_stretches_count_what_a_loop_counts():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 30, 200).astype(float)
    stratum, labeled = rng.integers(0, 3, 200), rng.random(200) < 0.3
    order = np.argsort(scores, kind="stable")
    code = (stratum + 3 * labeled).astype(np.uint8)
    rows, below, upto, at, count, begins, ends = stretches(order, scores[order], code, 7, 3)
    assert rows.tolist() == [i for i in order if labeled[i]]
    assert below.tolist() == [(scores < scores[i]).sum() for i in rows]
    assert upto.tolist() == [(scores <= scores[i]).sum() for i in rows]
    of_all = np.array([(scores < each).sum() * 7 // 200 for each in scores])
    assert at.tolist() == of_all[rows].tolist()
    for k in range(7):
        inside = of_all == k
        assert count[k].tolist() == [(inside & ~labeled & (stratum == s)).sum() for s in range(3)]
        if inside.any():
            assert (begins[k], ends[k]) == (below_of(scores, inside), below_of(scores, inside) + inside.sum())


def below_of(scores, inside):
    return (scores < scores[inside].min()).sum()


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("design", ["audit", "by a column"])
def test_a_long_list_by_stretches_says_what_its_rows_say(spec, design, monkeypatch):
    rng = np.random.default_rng(3)
    scores, y, observed, inclusion = world(20_000, top=1000, share=0.05)
    scores = np.round(scores, 3)
    if design == "by a column":
        inclusion = 1 / (1 + np.exp(2 - rng.normal(size=20_000)))
        observed = np.where(rng.random(20_000) < inclusion, y, np.nan)
    spec = {"recall-at:3": "recall-at:1500", "precision-at:4": "precision-at:1500", "lift-at:2": "lift-at:1500"}.get(
        spec, spec
    )
    argument = {"metric": spec} if "-at:" in spec or spec == "prevalence" else {"phi": spec}
    by_row = inference.interval(Observed(observed, inclusion), scores, **argument)
    monkeypatch.setattr(lists, "_LONG", 1000)
    rows = PartlyLabeled.of(Observed(observed, inclusion), scores, by_row=False)
    assert len(rows.group) < 15_000
    assert rows.count.sum() == 20_000
    by_stretch = inference.interval(Observed(observed, inclusion), scores, **argument)
    error = by_row.standard_error
    assert by_stretch.estimate == pytest.approx(by_row.estimate, abs=0.05 * error)
    assert by_stretch.standard_error == pytest.approx(error, rel=0.03)
