"""Every experiment by its contract: it runs quickly, is a function of the seed, and survives an interruption."""

import csv
import itertools
import json
import os

import pytest
from threadpoolctl import threadpool_limits

from podium.exceptions import InputError
from podium.experiments import EXPERIMENTS, Experiment, Outcome, claims, reproduce
from podium.experiments.claims import Claim
from podium.experiments.experiment import once


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One for all, as with --all: experiments of a study find each other's trials."""
    return tmp_path_factory.mktemp("reproduction")


# Run by ``make test-slow``: the same code as a sister's, with other parameters, and those that take long even so.
SISTERS = {f"clv21-{name}" for name in ("loc3", "scale2", "scale3", "fig8", "fig9", "fig16", "script-scale")}
OF_CLV21 = ("selection", "fig5", "fig6", "fig15", "scale1", "bandwidth", "rates", "loc2", "script-location")
LONG = {"a05-fig4", *(f"clv21-{name}" for name in OF_CLV21)}


# One for each picture that is drawn: those alike need not be drawn twice to see that it is a function of the trials.
FIRST_OF_THEIR_KIND = set({experiment.draw: name for name, experiment in reversed(EXPERIMENTS.items())}.values())


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SISTERS | LONG else []) for name in EXPERIMENTS]
)
def test_quick_run_writes_picture_data_and_record(name, folder):
    if (table := EXPERIMENTS[name].table) and not os.environ.get("PODIUM_DATA"):
        pytest.skip(f"needs the table {table}: set PODIUM_DATA to its folder")
    done = reproduce(EXPERIMENTS[name], folder, quick=True)
    png, svg, data, record = (path.read_bytes() for path in done.files)
    assert png.startswith(b"\x89PNG")
    assert b"<svg" in svg
    rows = list(csv.reader(data.decode().splitlines()))
    assert len(rows) > 1
    assert len({len(row) for row in rows}) == 1
    written = json.loads(record)
    assert written["verdict"] in ("agrees", "agrees in part", "differs", "undecided", "extends")
    assert set(written["paper"]) <= set(written["ours"])
    assert (written["verdict"] == "extends") == (not written["claims"])
    assert all(claim["found"] in ("holds", "fails", "open") for claim in written["claims"])
    assert written["sentence"].endswith(".")
    if name not in FIRST_OF_THEIR_KIND:
        return
    # again from the stored trials: the same bytes
    assert [p.read_bytes() for p in reproduce(EXPERIMENTS[name], folder, quick=True).files] == [
        png,
        svg,
        data,
        record,
    ]


def draw_nothing(figure, columns):
    figure.subplots()


def random_number(settings, rng):
    return {"number": rng.random()}


def listed(settings, findings):
    return Outcome({}, {"numbers": [f["number"] for f in findings]}, (), {"i": [0]}, "Numbers.")


def experiment(trial=random_number, n=6):
    return Experiment("dice", "-", "Dice", lambda quick: [{"i": i} for i in range(n)], trial, listed, draw_nothing)


def sum_of_products(settings, rng):
    values = rng.standard_normal(50_000)
    return {"number": float(values @ values)}


def test_numbers_do_not_depend_on_threads(tmp_path):
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            found.append(reproduce(experiment(sum_of_products), tmp_path / str(n_threads)).files[3].read_bytes())
    assert found[0] == found[1]


def test_interrupted_run_continues_where_it_was(tmp_path):
    whole = reproduce(experiment(), tmp_path / "whole").outcome
    calls = []

    def interrupted(settings, rng):
        if settings["i"] == 3 and len(calls) == 3:
            raise KeyboardInterrupt
        calls.append(settings["i"])
        return random_number(settings, rng)

    with pytest.raises(KeyboardInterrupt):
        reproduce(experiment(interrupted), tmp_path / "cut")
    assert not (tmp_path / "cut" / "dice.json").exists()
    calls.append("restarted")
    assert reproduce(experiment(interrupted), tmp_path / "cut").outcome == whole
    assert calls == [0, 1, 2, "restarted", 3, 4, 5]


def test_a_torn_line_is_done_again(tmp_path):
    whole = reproduce(experiment(), tmp_path).outcome
    (store,) = (tmp_path / "trials").iterdir()
    store.write_text(store.read_text()[:-5])
    assert reproduce(experiment(), tmp_path).outcome == whole
    assert len(store.read_text().splitlines()) == 6


def test_jobs_do_not_change_the_result(tmp_path):
    one = reproduce(experiment(), tmp_path / "one").outcome
    assert reproduce(experiment(), tmp_path / "two", jobs=2).outcome == one
    assert reproduce(experiment(), tmp_path / "other", seed=1).outcome != one


def test_results_of_another_size_are_kept(tmp_path):
    reproduce(experiment(), tmp_path)
    with pytest.raises(InputError, match="a full run with seed 0"):
        reproduce(experiment(), tmp_path, quick=True)
    reproduce(experiment(), tmp_path, quick=True, force=True)


def test_once_is_a_single_trial():
    assert once(True) == once(False) == [{}]


def test_claims_are_decided_by_what_noise_leaves_of_them():
    assert [claims.below(0.5, low, high) for low, high in ((0.1, 0.4), (0.4, 0.6), (0.6, 0.7))] == [True, None, False]
    assert claims.throughout([True, True]) is True
    assert claims.throughout([True, None]) is None
    assert claims.throughout([None, False]) is False
    assert claims.decided({"a": 0.97, "b": 0.5, "c": 0.03}) == {"a": True, "b": None, "c": False}


def one_setting(*truths, setting=""):
    return [Claim(f"claim {i}", true, setting) for i, true in enumerate(truths)]


@pytest.mark.parametrize(
    ("truths", "word"),
    [
        ((), "extends"),
        ((True, True), "agrees"),
        ((True, None), "agrees in part"),
        ((True, False), "agrees in part"),
        ((True, False, None), "agrees in part"),
        ((True, False, False), "differs"),
        ((None, False), "differs"),
        ((None, None), "undecided"),
    ],
)
def test_a_verdict_needs_half_of_the_decided_claims(truths, word):
    assert claims.verdict(one_setting(*truths)) == word


def test_no_verdict_rises_with_a_setting_or_agrees_with_fewer_than_half():
    worst_first = ("differs", "undecided", "agrees in part", "agrees")
    patterns = [tuple(p) for n in (1, 2, 3) for p in itertools.product((True, None, False), repeat=n)]
    for one, two in itertools.product(patterns, repeat=2):
        known, more = one_setting(*one, setting="a"), one_setting(*two, setting="b")
        before, after = claims.verdict(known), claims.verdict(known + more)
        assert worst_first.index(after) <= worst_first.index(before)
        decided = [true for true in one + two if true is not None]
        if after.startswith("agrees"):
            assert 2 * sum(decided) >= len(decided) > 0


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_numbers_of_the_revision(name):
    revisions = {
        "clv21-loc2": "Figure 4",
        "clv21-fig10": "dropped",
        "clv21-loc1": "Figure 10",
        "clv21-fig16": "Figure 15",
    }
    revision = EXPERIMENTS[name].revision
    assert bool(revision) == name.startswith("clv21")
    assert revision == revisions.get(name, revision)
