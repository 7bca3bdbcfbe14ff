"""``podium monitor`` and labels that are selected, late, or come a few at a time."""

import itertools
import json
import os
import shutil
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from podium import persist, workflow
from podium.exceptions import InputError
from podium.workflow.monitoring.expected import expected_auc, expected_performance

GOLDEN = Path(__file__).parents[1]
N, TOP, AUDIT = 3000, 300, 0.1


def month(seed, strength=1.0, n=N):
    """Six columns, about 9 % positive; ``strength`` says how much of it they explain."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    chance = 1 / (1 + np.exp(2.9 - strength * (X @ [0.9, 0.6, 0.5, 0.3, 0.2, 0.1])))
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(6)])
    return frame.assign(case=[f"{seed}-{i}" for i in range(n)], bad=(rng.random(n) < chance).astype(float))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("labels") / "model.podium"
    persist.save(workflow.fit(month(0, n=8000), label="bad", id_column="case", model="linear").model, path)
    return path


@pytest.fixture
def watch(model, tmp_path):
    return lambda table, **options: workflow.monitor(model, table, state=tmp_path / "state.json", **options)


def scores_of(model, frame):
    return persist.load(model).as_judged().scores(frame)


def inspected(model, frame, audit=None, seed=0):
    """Labels of the best rows, and of some others with ``audit``, which adds the column of probabilities."""
    s = scores_of(model, frame)
    inclusion = np.where(s >= np.sort(s)[-TOP], 1.0, audit or 0.0)
    known = np.random.default_rng(seed).random(len(s)) < inclusion
    frame = frame.assign(bad=frame["bad"].where(known))
    return frame if audit is None else frame.assign(inclusion=inclusion)


@pytest.mark.parametrize("scores", [[1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 1.0, 1.0]])
def test_the_expected_auc_is_the_ratio_of_expected_pairs_over_all_labels(scores):
    p, s = np.array([0.2, 0.5, 0.9, 0.4]), np.array(scores)
    concordant = pairs = 0.0
    for labels in itertools.product([0, 1], repeat=4):
        probability = np.prod(np.where(np.array(labels) == 1, p, 1 - p))
        for i, j in itertools.permutations(range(4), 2):
            if labels[i] and not labels[j]:
                pairs += probability
                concordant += probability * (float(s[i] > s[j]) + 0.5 * float(s[i] == s[j]))
    auc, slopes = expected_auc(p, s)
    assert auc == pytest.approx(concordant / pairs, rel=1e-12)
    for i in range(4):
        step = np.zeros(4)
        step[i] = 1e-6
        change = expected_auc(p + step, s)[0] - expected_auc(p - step, s)[0]
        assert slopes[i] == pytest.approx(change / 2e-6, abs=1e-6)


def test_where_only_the_top_is_inspected_its_precision_is_watched_and_the_notes_say_so(model, tmp_path):
    for strength, alarm in ((1.0, False), (0.2, True)):
        for seed in (1, 2):
            options = {"state": tmp_path / f"{strength}.json"}
            result = workflow.monitor(model, inspected(model, month(seed, strength)), **options)
        assert result.alarm == result.inspected.alarm == alarm
        assert result.inspected.measure == "precision of the best 10 % of the list"
        assert result.auc is None
        assert result.performance.estimate is None
        assert "Labels of 600 of 6,000 rows are a selection" in result.notes[-1]
        assert "How positives rank in the whole list is not known" in result.notes[-1]
        assert "are a selection" in result.report.html
        assert "AUC of the new rows with a label" not in str(result) + result.report.html
        rows = [month(seed, strength) for seed in (1, 2)]
        hits = [frame["bad"][np.argsort(-scores_of(model, frame))[:TOP]].mean() for frame in rows]
        assert result.inspected.estimate == pytest.approx(np.mean(hits))


def test_inclusion_probabilities_are_read_by_themselves_and_used(model, tmp_path):
    for strength, alarm in ((1.0, False), (0.0, True)):
        for seed in range(1, 5):
            frame = inspected(model, month(seed, strength), AUDIT, seed)
            result = workflow.monitor(model, frame, state=tmp_path / f"{strength}.json")
        assert result.performance.alarm == alarm
        assert result.inspected is None
        assert not any("selection" in note or "does not use" in note for note in result.notes)
    one = inspected(model, month(1), AUDIT, 1).dropna()
    result = workflow.monitor(model, inspected(model, month(1), AUDIT, 1), state=tmp_path / "one.json")
    expected = roc_auc_score(one["bad"], scores_of(model, one), sample_weight=1 / one["inclusion"])
    assert result.auc == pytest.approx(expected)
    assert f"AUC of the new rows with a label: {expected:.3f}" in str(result)


def test_the_auc_that_is_printed_is_that_of_the_new_rows(model, watch):
    result = watch(month(1))
    result = watch(month(2, 0.3))
    both = pd.concat([month(1), month(2, 0.3)])
    assert result.auc == pytest.approx(roc_auc_score(both["bad"], scores_of(model, both)))
    assert result.performance.measure == "standing of positives"


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("audit", [AUDIT, None])
def test_later_labels_count_once_in_any_order_and_by_any_number_of_calls(model, tmp_path, whole, audit):
    full = inspected(model, month(1), audit)
    labeled = np.random.default_rng(3).permutation(np.flatnonzero(full["bad"].notna()))
    states, results = [], []
    for n_pieces in (1, 7):
        path = tmp_path / f"{n_pieces}.json"
        workflow.monitor(model, full.assign(bad=np.nan), state=path)
        for piece in [*np.array_split(labeled, n_pieces), labeled[:50]]:
            given = full if whole else full.iloc[piece]
            given = given.assign(bad=given["bad"].where(np.isin(given.index, piece)))
            results.append(workflow.monitor(model, given, state=path))
        states.append(json.loads(path.read_text()))
    assert states[0]["batches"] == states[1]["batches"]
    for name in ("e_value", "estimate", "low", "high", "n", "n_rows"):
        for monitor in ("performance", "inspected"):
            found = [getattr(getattr(result, monitor), name, None) for result in (results[1], results[-1])]
            assert found[0] == found[1]
    assert results[-1].auc == results[1].auc
    assert results[-1].performance.n_rows == (0 if audit is None else len(labeled))
    assert any("Nothing is new" in note for note in results[-1].notes)
    assert len(states[1]["history"]) == 8


def dated(frame, seed, days):
    """Labels of about half the rows, drawn at random, and the day on which each came."""
    rng = np.random.default_rng([seed, 8])
    when = np.where(rng.random(len(frame)) < 0.5, rng.exponential(days, len(frame)).round(), np.nan)
    return frame.assign(bad=frame["bad"].where(~np.isnan(when)), when=when)


def as_known_on(day, frame):
    return frame.assign(bad=frame["bad"].where(frame["when"] <= day))


def test_early_labels_do_not_count_until_few_come_any_more(model, watch):
    """Positives that rank low get their labels first; all labels together show nothing unusual."""
    frame = month(1)
    scores = scores_of(model, frame)
    is_low = scores < np.median(scores[frame["bad"] == 1])
    first = dated(frame, 1, np.where((frame["bad"] == 1) & ~is_low, 60, 4))
    early = watch(as_known_on(20, first))
    assert early.n_labeled > 1000
    assert (early.performance.estimate, early.performance.n, early.auc) == (None, 0, None)
    assert "Labels of batch 1 are still coming: 1,4" in early.notes[-1]
    late = watch(as_known_on(400, first))
    assert late.performance.n_rows == first["bad"].notna().sum()
    assert not late.alarm
    assert not any("still coming" in note for note in late.notes)


def test_batches_count_up_to_the_first_whose_labels_still_come_and_one_without_labels_holds_up_nobody(watch):
    first, last = (dated(month(seed), seed, 10).assign(when=lambda f, k=seed: f["when"] + 30 * k) for seed in (1, 3))
    watch(month(2).assign(bad=np.nan))
    watch(first)
    for day, counted in ((100, [first]), (500, [first, last])):
        result = watch(as_known_on(day, last))
        assert result.performance.n_rows == sum(int(frame["bad"].notna().sum()) for frame in counted)
        assert ("Labels of batch 3 are still coming" in " ".join(result.notes)) == (day == 100)


def test_how_long_labels_take_is_known_from_training(tmp_path):
    """All labels so far came on one day, and then a few weeks later: with a delay of 30 days more may come."""
    days = pd.date_range("2024-01-01", periods=90)
    train = month(0, n=4500).assign(day=np.repeat(days, 50))
    options = {"label": "bad", "id_column": "case", "model": "linear", "time": "day"}
    batch = month(1, n=900).assign(day=days[-1], when="2024-05-01")
    batch.loc[batch.index % 3 == 0, "bad"] = np.nan
    last = month(2, n=300).assign(day=days[-1], when="2024-05-20")
    for delay, counted in ((None, 900), ("30d", 0)):
        model = workflow.fit(train, **options, **({"label_delay": delay} if delay else {})).model
        workflow.monitor(model, batch, state=tmp_path / f"{delay}.json")
        result = workflow.monitor(model, last, state=tmp_path / f"{delay}.json")
        assert result.performance.n_rows == counted


@pytest.mark.parametrize("n_pieces", [1, 7])
@pytest.mark.parametrize("seed", [0, 1])
def test_seven_hundred_later_labels_with_their_days_end_in_one_state(model, tmp_path, n_pieces, seed):
    frame = dated(month(1), 1, 10)
    given = np.flatnonzero(frame["bad"].notna())[:700]
    frame = frame.assign(bad=frame["bad"].where(np.isin(frame.index, given)))
    workflow.monitor(model, frame, state=tmp_path / "whole.json")
    workflow.monitor(model, frame.assign(bad=np.nan), state=tmp_path / "s.json")
    for piece in np.array_split(np.random.default_rng(seed).permutation(given), n_pieces):
        workflow.monitor(model, frame.iloc[piece], state=tmp_path / "s.json")
    whole, pieces = (json.loads((tmp_path / name).read_text()) for name in ("whole.json", "s.json"))
    assert pieces["batches"] == whole["batches"]
    assert whole["batches"][0]["when"] is not None
    for monitor in ("performance", "drift"):
        for name in ("e_value", "n"):
            assert pieces["history"][-1][monitor][name] == whole["history"][-1][monitor][name]
    assert pieces["running"]["performance"]["wealth"]["each"] == whole["running"]["performance"]["wealth"]["each"]


def test_rows_without_an_id_are_known_by_their_content(tmp_path):
    train = month(0, n=4000).drop(columns="case")
    model = workflow.fit(train, label="bad", model="linear").model
    batch, path = month(1, n=400).drop(columns="case"), tmp_path / "s.json"
    workflow.monitor(model, batch.assign(bad=np.nan), state=path)
    assert workflow.monitor(model, batch[100:300], state=path).performance.n_rows == 200
    result = workflow.monitor(model, batch, state=path)
    assert (result.drift.n, result.performance.n_rows) == (400, 400)
    twins = batch.assign(**{f"x{i}": 0.0 for i in range(6)})  # nothing tells them apart
    workflow.monitor(model, twins.assign(bad=np.nan), state=path)
    assert workflow.monitor(model, twins[:100], state=path).drift.n == 900  # so these are taken for new ones
    assert workflow.monitor(model, twins, state=path).performance.n_rows == 900


def test_a_table_of_known_and_new_rows_completes_the_ones_and_adds_the_others(watch):
    watch(month(1).assign(bad=np.nan))
    both = pd.concat([month(1)[:500], month(2)[:700]], ignore_index=True)
    result = watch(both)
    assert (result.drift.n, result.performance.n_rows) == (N + 700, 1200)


def test_labels_that_differ_from_those_before_are_told_and_not_counted(watch):
    before = watch(month(1))
    after = watch(month(1).assign(bad=lambda frame: 1 - frame["bad"]))
    assert f"{N:,} labels differ from those that came before; the first ones count." in after.notes
    assert after.performance == before.performance


def test_days_that_differ_are_no_drift_unless_rows_are_to_be_the_unit(model, tmp_path):
    alarms = {}
    for unit in (None, "row"):
        for day in range(25):
            rows = month([day, 7], n=200).drop(columns="bad")
            rows["x0"] += 0.5 * np.random.default_rng(day).normal()
            result = workflow.monitor(model, rows, state=tmp_path / f"{unit}.json", unit=unit)
        alarms[unit] = result.drift.alarm
    assert alarms == {None: False, "row": True}


def test_a_state_of_the_first_format_goes_on_by_rows(tmp_path):
    shutil.copy(GOLDEN / "monitor" / "golden" / "format1.monitor.json", tmp_path / "state.json")
    model, rows = GOLDEN / "persist" / "golden" / "first" / "table-linear.podium", GOLDEN / "persist" / "golden"
    frame = pd.read_csv(rows / "rows.csv")
    old = json.loads((tmp_path / "state.json").read_text())["history"][-1]
    for again in (frame[:50], frame[50:100], frame[:50].drop(columns="y")):
        result = workflow.monitor(model, again, state=tmp_path / "state.json")
        assert "Nothing is new" in " ".join(result.notes)
        assert result.drift.e_value == old["drift"]["e_value"]
        assert result.performance.e_value == old["performance"]["e_value"]
    workflow.monitor(model, frame[100:].drop(columns="y"), state=tmp_path / "state.json")
    result = workflow.monitor(model, frame[100:130], state=tmp_path / "state.json")
    assert (result.drift.n, result.drift.unit, result.performance.n_rows) == (150, "row", 130)
    assert json.loads((tmp_path / "state.json").read_text())["podium_monitor"] == 2


@pytest.mark.skipif(os.name != "posix", reason="no such signals")
def test_killed_at_any_point_labels_are_neither_lost_nor_counted_twice(model, tmp_path):
    full, path = inspected(model, month(1), AUDIT), tmp_path / "state.json"
    labeled = np.flatnonzero(full["bad"].notna())
    workflow.monitor(model, full.assign(bad=np.nan), state=path)
    for number, piece in enumerate(np.array_split(labeled, 6)):
        given = full.assign(bad=full["bad"].where(np.isin(full.index, piece)))
        child = os.fork()
        if child == 0:  # it dies just before or after the state is written
            replace = os.replace, Path.replace

            def die(*arguments, number=number, replace=replace):
                if number % 2:
                    replace[1](*arguments)
                os.kill(os.getpid(), signal.SIGKILL)

            Path.replace = die
            workflow.monitor(model, given, state=path)
            os._exit(0)
        os.waitpid(child, 0)
        result = workflow.monitor(model, given, state=path)
    at_once = workflow.monitor(model, full, state=tmp_path / "other.json")
    assert result.performance.e_value == at_once.performance.e_value
    assert result.performance.n_rows == at_once.performance.n_rows == len(labeled)


def test_what_comes_back_of_a_list_with_explored_rows_is_taken_as_it_is(model, tmp_path):
    batch = month(3, n=900)
    listed = workflow.score(model, batch.drop(columns="bad"), top=120, explore=40).scores
    drawn = listed["id"].map(dict(zip(batch["case"], batch.index, strict=True)))
    drawn = listed.set_index(drawn)["inclusion"]
    back = batch.assign(inclusion=drawn, bad=batch["bad"].where(batch.index.isin(drawn.index)))
    found = workflow.monitor(model, back, state=tmp_path / "state.json")
    whole = workflow.monitor(model, batch.assign(inclusion=1.0), state=tmp_path / "whole.json")
    assert found.performance.n_rows == 120
    assert abs(found.auc - whole.auc) < 0.25  # forty explored rows say little
    with pytest.raises(InputError, match="have no inclusion probability"):
        workflow.monitor(model, back[:500], state=tmp_path / "other.json")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"inclusion": 1.5}, "inclusion must be in (0, 1]; got 1.5"),
        ({"inclusion": 0.0}, "A labeled row cannot have inclusion 0"),
        ({"inclusion": np.nan}, "inclusion must be finite"),
        ({"inclusion": "often"}, "must hold probabilities; got 'often'"),
        ({"when": "2999-01-01"}, "cannot have been observed after today"),
    ],
)
def test_what_no_design_is_gets_a_sentence_and_exit_code_2(model, podium, tmp_path, columns, words):
    month(1, n=50).assign(**columns).to_csv(tmp_path / "batch.csv", index=False)
    run = podium("monitor", model, tmp_path / "batch.csv", "--state", tmp_path / "state.json")
    assert run.code == 2
    assert words in " ".join(run.err.split())
    assert not (tmp_path / "state.json").exists()


def test_the_design_of_a_batch_is_given_once(model, watch):
    full = inspected(model, month(1), AUDIT)
    first = full[full["inclusion"] == 1]
    with pytest.raises(InputError, match=r"inclusion must be in \(0, 1\]; got 0"):
        watch(full.assign(inclusion=lambda frame: frame["inclusion"].replace(AUDIT, 0.0), bad=np.nan))
    watch(full.drop(columns=["inclusion", "bad"]))
    watch(first)
    with pytest.raises(InputError, match="Weights follow from the least inclusion of a batch"):
        watch(full)
    with pytest.raises(InputError, match="got another one than before"):
        watch(first.assign(inclusion=0.9))
    with pytest.raises(InputError, match="Inclusion must be given for every labeled row"):
        watch(month(1))


def test_the_command_takes_later_labels(model, podium, tmp_path):
    full = inspected(model, month(1), AUDIT).assign(when="2024-05-01")
    full.assign(bad="").to_csv(tmp_path / "list.csv", index=False)
    full.to_csv(tmp_path / "found.csv", index=False)
    state = "--state", tmp_path / "state.json"
    assert podium("monitor", model, tmp_path / "list.csv", *state, "--unit", "batch").code == 0
    run = podium("monitor", model, tmp_path / "found.csv", *state)
    assert run.code == 0
    assert "AUC of the new rows with a label: 0." in run.out
    assert "Before labels: expected AUC 0." in run.out
    again = podium("monitor", model, tmp_path / "found.csv", *state)
    assert (again.code, "Nothing is new" in again.err) == (0, True)


def test_limits_before_labels_hold_for_the_auc_that_labels_show_and_not_where_chances_moved(model):
    scorer, held = persist.load(model).as_judged(), []
    for seed in range(60):
        frame = month([seed, 3], n=800)
        scores = scorer.scores(frame)
        expected = expected_performance(scorer, scores, 0.9)
        held.append(expected.low <= roc_auc_score(frame["bad"], scores) <= expected.high)
    assert np.mean(held) >= 0.9 - 3 * np.sqrt(0.09 / 60)
    frame = month(5, 0.1)
    expected = expected_performance(scorer, scorer.scores(frame), 0.95)
    assert expected.low > roc_auc_score(frame["bad"], scorer.scores(frame))
    assert "if rows of one score are positive as often as among the rows held out" in repr(expected)
    assert expected.positives == pytest.approx(np.clip(scorer.chances()(scorer.scores(frame)), 0, 1).sum())
