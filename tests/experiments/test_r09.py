"""What must hold of the experiments of Rudin (2009)."""

import os

import numpy as np
import pytest

from podium import criteria, metrics
from podium.experiments.r09 import pair_contributions
from podium.experiments.r09.capacity import CAPACITY, SPACES, _scores, draw_rows
from podium.experiments.r09.one_dimension import SHARES, draw_points
from podium.experiments.r09.push_study import GROUPS, LARGER_IS_BETTER, MEASURES, RANKERS, PushCells, best
from podium.experiments.r09.push_tables import FIG5, HOUSING, IONOSPHERE, MAGIC, TABLE3, agreement
from podium.experiments.r09.table1 import TABLE1
from podium.experiments.r09.table2 import TABLE2

NO_RNG = np.random.default_rng(0)


def computed(experiment):
    return experiment.conclude([{}], [experiment.trial({}, NO_RNG)])


def test_table_1_agrees_in_all_nine_cells():
    outcome = computed(TABLE1)
    assert outcome.paper == outcome.ours
    assert len(outcome.paper) == 9


def test_table_2_has_ninety_cells_and_names_the_one_that_was_truncated():
    outcome = computed(TABLE2)
    assert len(outcome.paper) == 90
    assert outcome.columns["agreement"].count("rounded") == 59
    assert [cell for cell in outcome.paper if "argmin" in cell and outcome.paper[cell] != outcome.ours[cell]] == []
    assert any("exponential, f1, p=5" in erratum for erratum in outcome.errata)


def test_a_wrong_cell_would_be_seen():
    finding = TABLE2.trial({}, NO_RNG)
    finding["logistic"]["f1"][2] += 0.02
    finding["zero_one"]["f1"][0] = 23.0  # below f2: the preference turns, and the value is not the printed one
    outcome = TABLE2.conclude([{}], [finding])
    assert "3 differ." in outcome.sentence
    assert [claim.says for claim in outcome.claims if not claim.true] == [
        *("zero_one, f1, p=1", "exponential, f1, p=5", "logistic, f1, p=3", "zero_one, argmin, p=1"),
    ]


@pytest.mark.parametrize(
    ("value", "printed", "how"),
    [
        (2.734e3, "2.73e3", "rounded"),
        (2.735e3, "2.73e3", "rounded"),
        (2.7351e3, "2.73e3", "truncated"),
        (2.74e3, "2.73e3", "no"),
        (2.7249e3, "2.73e3", "no"),
        (33.0, "33", "rounded"),
    ],
)
def test_agreement_is_in_the_last_printed_digit(value, printed, how):
    assert agreement(value, printed) == how


@pytest.mark.parametrize("p", pair_contributions.POWERS)
def test_contributions_of_the_pairs_sum_to_the_push(p):
    risk = metrics.push_risk(pair_contributions.LABELS, pair_contributions.SCORES, p=p, loss="exponential")
    assert pair_contributions.power_contributions(p).sum() == pytest.approx(risk, rel=1e-12)


def test_the_ir_push_weighs_most_at_the_upper_left_not_at_the_lower_left():
    # By the formula of the caption, cell by cell; the first rows are the highest positives: the lower half.
    labels, scores = pair_contributions.LABELS, pair_contributions.SCORES
    positives = [s for s, label in zip(scores, labels, strict=True) if label > 0]
    negatives = [s for s, label in zip(scores, labels, strict=True) if label < 0]
    weight = {}
    for i, x in enumerate(positives):
        losses = [np.exp(-(x - y)) for y in negatives]
        for k, loss in enumerate(losses):
            corner = ("lower" if i < 6 else "upper", "left" if k < 4 else "right")
            weight[corner] = weight.get(corner, 0) + np.log1p(sum(losses)) * loss / sum(losses)
    total = sum(weight.values())
    assert weight["upper", "left"] / total == pytest.approx(0.345, abs=5e-4)
    assert weight["lower", "left"] / total == pytest.approx(0.285, abs=5e-4)
    outcome = computed(pair_contributions.FIG4)
    assert outcome.verdict == "differs"
    assert outcome.ours["share of the upper left quarter, IR Push"] == round(weight["upper", "left"] / total, 4)


def test_contributions_of_the_pairs_sum_to_the_ir_push():
    positive = np.array(pair_contributions.LABELS) == 1
    value, _ = criteria.IRPush().value_and_gradient(pair_contributions.SCORES, positive)
    assert pair_contributions.ir_contributions().sum() == pytest.approx(-positive.sum() * value, rel=1e-12)


def test_the_line_has_the_areas_of_the_paper():
    # Closed forms: AUC of x is (1 - ε)², and the shares of R_max are 1 for x and 1 - ε for -x.
    rng = np.random.default_rng(0)
    for epsilon in SHARES:
        x, y = draw_points(200_000, epsilon, rng)
        error = np.sqrt(2 * epsilon / 200_000)
        assert metrics.auc(y, x) == pytest.approx((1 - epsilon) ** 2, abs=4 * error)
        assert metrics.max_height(y, x) == y.sum()
        assert metrics.max_height(y, -x) / y.sum() == pytest.approx(1 - epsilon, abs=4 * error)


def printed(study):
    return np.array([study.printed[measure] for measure in MEASURES])


def said_of(study, mean):
    return {measure: best(mean, measure) in GROUPS[group] for measure, group in study.said.items()}


@pytest.mark.parametrize("study", [MAGIC, IONOSPHERE, HOUSING], ids=lambda study: study.table)
def test_tables_3_to_5_print_seven_measures_of_seven_rankers_and_which_is_best(study):
    assert printed(study).shape == (7, 7)
    assert list(study.printed) == list(study.said) == list(MEASURES)
    assert all(said_of(study, printed(study)).values())


def test_cells_find_the_powers_of_ten_and_what_is_outside():
    powers = np.array([0, 10, 18, 34, 66, 3, 0])
    spread = np.random.default_rng(0).uniform(0.9, 1.1, (50, 7, 7))
    spread[:, 2, 3] += 0.3
    cells = PushCells(printed(MAGIC), printed(MAGIC) * 10.0 ** powers[:, None] * spread)
    assert cells.powers.tolist() == powers.tolist()
    assert np.argwhere(~cells.inside).tolist() == [[2, 3]]
    assert cells.below[2, 3] == 0
    assert cells.mean == pytest.approx(cells.printed * spread.mean(axis=0))


def test_what_is_best_changes_in_a_table_turned_round():
    assert not any(said_of(MAGIC, printed(MAGIC)[:, ::-1])[measure] for measure in ("AUC", "R_4", "R_8", "R_16"))


def test_what_is_best_in_single_splits_alone_is_open():
    rng = np.random.default_rng(0)
    sure = printed(MAGIC) * np.exp(rng.normal(0, 0.001, (40, 1, 1)))
    unsure = printed(MAGIC) * np.exp(rng.normal(0, 0.5, (40, 7, 7)))
    assert set(PushCells(printed(MAGIC), sure).shares(MAGIC.said).values()) == {1}
    assert any(0.05 < share < 0.95 for share in PushCells(printed(MAGIC), unsure).shares(MAGIC.said).values())


def test_curves_whose_trend_hangs_on_single_splits_do_not_hold():
    settings = [{"positives": "gamma", "split": i} for i in range(30)]
    curves = {part: {name: [0, 1, 2] for name in ("false positives", *RANKERS)} for part in ("training", "test")}
    falling = np.tile(np.linspace(2, 1, 7), (7, 1))
    for noise, found in ((1e-4, ["holds", "holds"]), (3.0, ["fails", "open"])):  # no six falls in a row, by chance
        rng = np.random.default_rng(1)
        findings = [{"training": falling + rng.normal(0, noise, (7, 7)), "curves": curves} for _ in settings]
        assert [claim.found for claim in FIG5.conclude(settings, findings).claims] == found


@pytest.fixture(scope="module", params=[MAGIC, IONOSPHERE, HOUSING], ids=lambda study: study.table)
def few_splits(request):
    """A dozen splits of each reading: cells by reading."""
    study = request.param
    if not os.environ.get("PODIUM_DATA"):
        pytest.skip(f"needs the table {study.table}: set PODIUM_DATA to its folder")
    settings = [{"positives": reading, "split": i} for reading in study.positives for i in range(1, 13)]
    findings = [study.trial(s, np.random.default_rng([1, i])) for i, s in enumerate(settings)]
    return [PushCells.of(study, reading, settings, findings) for reading in study.positives]


def standard_deviations_away(cells):
    return np.abs(cells.printed - cells.mean) / cells.deviation


def test_printed_cells_are_among_ours(few_splits):
    # The range of a dozen is narrow; four standard deviations are about that of the two hundred of the full run.
    assert (standard_deviations_away(few_splits[0]) < 4).sum() >= 45


def test_small_p_is_best_for_the_auc_and_large_p_at_the_top(few_splits):
    said = {"AUC": "small p"} | dict.fromkeys(("R_8", "R_16", "DCG", "AveR"), "IR or large p")
    for measure, group in said.items():
        assert few_splits[0].best(measure) in GROUPS[group]


def test_table_4_is_not_of_the_good_returns(few_splits):
    if len(few_splits) == 1:
        pytest.skip("a single reading")
    assert (standard_deviations_away(few_splits[1]) < 4).sum() < 45


def test_every_measure_knows_its_direction():
    perfect, reversed_ = [0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]
    y = [False, False, True, True]
    for name, measure in MEASURES.items():
        better, worse = measure(y, perfect), measure(y, reversed_)
        assert (better > worse) == (name in LARGER_IS_BETTER)
        assert better != worse


def test_tables_and_figures_share_their_trials():
    assert FIG5.study == TABLE3.study
    assert FIG5.trials(True) == TABLE3.trials(True)
    assert len(TABLE3.trials(False)) >= 100
    assert len(RANKERS) == 7


def test_a_printed_value_beyond_the_quartiles_but_within_the_range_is_inside():
    spread = np.linspace(0.9, 1.02, 41)[:, None, None]  # the printed values are near the largest of our splits
    cells = PushCells(printed(MAGIC), printed(MAGIC) * spread)
    assert cells.inside.all()
    assert (printed(MAGIC) > cells.upper).all()


def test_the_joint_test_has_its_level_and_sees_a_gain_that_no_cell_shows():
    rng = np.random.default_rng(0)
    values = []
    for _ in range(300):
        common = rng.normal(0, 0.5, (60, 7, 1))  # all rankers of a split share its luck: ratios vary little
        ours = np.exp(common + rng.normal(0, 0.01, (60, 7, 7)))
        values.append(PushCells(ours[0], ours[1:]).joint)
    assert np.mean(np.array(values) <= 0.1) == pytest.approx(0.1, abs=3 * (0.09 / 300) ** 0.5)
    flattered = ours[0].copy()
    flattered[4, 5] *= 0.8  # R_16 at p = 64: within the range of its cell
    cells = PushCells(flattered, ours[1:])
    assert cells.inside[4, 5]
    assert cells.joint == pytest.approx(1 / 60)
    gains, printed_gain = cells.gain
    assert printed_gain < gains.min()
    assert gains == pytest.approx(ours[1:, 4, 5] / ours[1:, 4, 0])


def test_when_p_matters_is_decided_by_the_samples():
    rng = np.random.default_rng(0)

    def verdict(means, spread, n=30):
        findings = [
            {space: {"distance": m + spread * rng.normal(), "auc": 0.7} for space, m in zip(SPACES, means, strict=True)}
            for _ in range(n)
        ]
        return CAPACITY.conclude([{"sample": i} for i in range(n)], findings).verdict

    assert verdict((0.0, 0.05, 0.1, 0.05), 0.01) == "agrees"
    assert verdict((0.2, 0.2, 0.1, 0.2), 0.01) == "differs"
    assert verdict((0.1, 0.1, 0.1, 0.1), 0.1) == "undecided"


def test_scorers_without_negative_weights_have_none():
    X, y = draw_rows(np.random.default_rng(0))
    free, bounded, one = (_scores(space, 16, X, y) for space in ("two columns", "no negative weights", "one column"))
    weights = np.linalg.lstsq(X[:, :2], bounded, rcond=None)[0]
    assert weights.min() >= -1e-12
    assert metrics.push_risk(y, free, 16, "exponential", log=True) <= metrics.push_risk(
        y, bounded, 16, "exponential", log=True
    )
    assert metrics.auc(y, one) == pytest.approx(metrics.auc(y, X[:, 0]))
