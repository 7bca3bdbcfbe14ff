"""A name means one number: in metrics, scorers, intervals, comparisons, boosting and early stopping."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from podium import InputError, boosting, criteria, metrics, phi
from podium._words import _names, shown, words
from podium.inference import compare, interval
from podium.metrics.named import MEASURES, named
from podium.phi.spec import UNDERSTOOD

RNG = np.random.default_rng(5)
X = RNG.normal(size=(300, 3))
Y = RNG.random(300) < 1 / (1 + np.exp(1.5 - 2 * X[:, 0] - X[:, 1]))
MODEL = LogisticRegression().fit(X, Y)
P = np.round(MODEL.predict_proba(X)[:, 1], 2)  # rounded: rows tie


class Rounded(ClassifierMixin, BaseEstimator):
    """Scores by the model, rounded, as probabilities and as a decision function."""

    classes_ = np.array([False, True])

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return np.round(MODEL.predict_proba(X)[:, 1], 2)

    def predict_proba(self, X):
        p = self.decision_function(X)
        return np.stack([1 - p, p], axis=1)


NO_LIMITS = ("average-reciprocal-rank", "push-risk")
FORMS = [word.form for word in words().values()]


@pytest.mark.parametrize("spec", [*FORMS, *UNDERSTOOD])
def test_a_name_is_the_same_number_everywhere(spec):
    found = named(spec)
    value = metrics.metric(spec)(Y, P)
    assert metrics.metric(str(found))(Y, P) == value  # names of results are names
    assert metrics.metric(f"neg-{spec}")(Y, P) == -value
    assert pickle.loads(pickle.dumps(metrics.metric(spec)))(Y, P) == value
    better = spec if found.larger_is_better else f"neg-{spec}"
    sign = 1 if found.larger_is_better else -1
    assert boosting.metric(better)(Y, P) == pytest.approx(sign * value, abs=1e-12)

    assert metrics.scorer(better)(Rounded(), X, Y) == pytest.approx(sign * value, abs=1e-12)
    if found.name in NO_LIMITS:
        with pytest.raises(InputError, match="no limits"):
            interval(Y, P, spec)
        return
    by_phi, by_metric = interval(Y, P, spec), interval(Y, P, metric=spec)
    assert by_phi == by_metric
    assert by_phi.estimate == pytest.approx(value, abs=1e-12)
    assert by_phi.low <= by_phi.estimate <= by_phi.high
    assert by_phi.low < by_phi.high
    both = compare(Y, P, P**2, metric=spec)
    assert (both.estimate_a, both.estimate_b) == pytest.approx(
        (value, metrics.metric(spec)(Y, P**2)), abs=1e-12, rel=1e-12
    )
    assert both.low <= both.difference <= both.high


@pytest.mark.parametrize("spec", FORMS)
def test_where_less_is_better_scorers_say_so(spec):
    if named(spec).larger_is_better:
        metrics.scorer(spec)
        spec = f"neg-{spec}"
    with pytest.raises(InputError, match="larger for better lists"):
        metrics.scorer(spec)


@pytest.mark.parametrize("spec", [form for form in FORMS if named(form).name not in NO_LIMITS])
def test_larger_is_better_is_as_stated(spec):
    rng = np.random.default_rng(0)
    y = np.arange(400) < 100
    good, bad = (1 / (1 + np.exp(-(rng.normal(size=400) + d * y))) for d in (3, 0.2))
    value = metrics.metric(spec)
    assert (value(y, good) > value(y, bad)) == named(spec).larger_is_better


def test_the_table_has_every_measure_and_no_other():
    assert set(words()) == set(MEASURES)
    assert all(word.definition and word.shown and word.field for word in words().values())
    taken = [name for word in words().values() for name in (word.name, *word.also)]
    assert len(taken) == len(set(taken))
    assert not set(_names()) & {name.partition(":")[0] for name in UNDERSTOOD}


@pytest.mark.parametrize("word", words().values(), ids=words())
def test_every_word_is_understood_by_all_its_names_and_shown_as_people_write_it(word):
    _, *numbers = word.form.replace("@", ":").split(":")
    for name in (word.name, *word.also):
        assert named(":".join([name, *numbers])) == named(word.form)
    text = shown(str(named(word.form)))
    assert text is not None
    assert "{" not in text


@pytest.mark.parametrize("word", [word for word in words().values() if word.trains], ids=lambda word: word.name)
def test_what_to_train_with_is_a_criterion_and_the_word_means_it_or_says_so(word):
    wanted = criteria.resolve(word.trains)
    try:
        assert criteria.resolve(word.form) == wanted
    except InputError as error:
        assert str(word.trains) in str(error) or "share of the list" in str(error)  # noqa: PT017


@pytest.mark.parametrize("word", ["gini", "ks", "wss@95", "bedroc:20", "lift@100"])
def test_where_a_phi_is_needed_a_word_gets_a_sentence(word):
    with pytest.raises(InputError, match="is a measure of a list"):
        phi.resolve(word)


@pytest.mark.parametrize(
    ("given", "near"), [("ginni", "gini"), ("enrichmnt:0.01", "enrichment"), ("bedrock", "bedroc")]
)
def test_an_unknown_word_gets_the_nearest_and_the_page(given, near):
    with pytest.raises(InputError, match=rf"did you mean {near}.*Your word"):
        metrics.metric(given)


def test_the_page_shows_the_table():
    page = (Path(__file__).parents[2] / "docs" / "words.rst").read_text(encoding="utf-8")
    assert "../src/podium/words.csv" in page
