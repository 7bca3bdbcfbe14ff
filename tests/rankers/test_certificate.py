import numpy as np
import pytest
from scipy import sparse

from podium import LinearRanker, QuadraticRanker
from podium.bounds import auc_uniform_deviation, log_sign_patterns
from podium.datasets import LocationModel
from podium.exceptions import InputError
from podium.inference import certificate
from podium.rankers.fingerprints import Fingerprints, hashes
from podium.selection import PenalizedSelection

MODEL = LocationModel(0.3, dimension=2)
TRAIN, FRESH = MODEL.sample(2000, 2000, 0), MODEL.sample(300, 300, 1)
RANKER = LinearRanker().fit(*TRAIN)


def test_held_out_rows_give_the_certificate_of_their_scores():
    found = RANKER.certificate(*FRESH, confidence_level=0.9)
    assert found == certificate(FRESH[1], RANKER.decision_function(FRESH[0]), "auc", confidence_level=0.9)
    assert found.held_out
    assert found.low < MODEL.auc_of(RANKER.coef_) < found.high


def test_the_certificate_is_about_what_the_ranker_was_trained_for():
    assert LinearRanker("power:3").fit(*TRAIN).certificate(*FRESH).phi == "power:3"
    assert LinearRanker("logloss").fit(*TRAIN).certificate(*FRESH).phi == "auc"
    assert RANKER.certificate(*FRESH, phi="power:2").phi == "power:2"
    assert PenalizedSelection([LinearRanker()], "power:2").fit(*TRAIN).certificate(*FRESH).phi == "power:2"


def test_training_rows_are_recognised_and_held_to_the_bound_over_the_whole_class():
    found = RANKER.certificate(*TRAIN)
    assert not found.held_out
    assert found.guaranteed
    assert found.method == "uniform"
    assert "among the linear scores of 2 features" in found.assumption
    reach = auc_uniform_deviation(2000, 2000, log_sign_patterns(2, 2000), method="sharp")
    assert found.low == pytest.approx(found.estimate - reach)
    assert found.low < MODEL.auc_of(RANKER.coef_) < found.high
    part = np.r_[100:200, 3000:3100]
    assert not RANKER.certificate(TRAIN[0][part], TRAIN[1][part]).held_out


def test_a_quadratic_score_is_linear_in_its_monomials():
    ranker = QuadraticRanker().fit(*TRAIN)
    assert ranker.class_dimension_ == 5
    assert "of 5 features" in ranker.certificate(*TRAIN).assumption


def test_training_rows_of_a_class_of_unknown_size_guarantee_nothing():
    for ranker in (LinearRanker(scaling="quantile"), PenalizedSelection([LinearRanker()])):
        found = ranker.fit(*TRAIN).certificate(*TRAIN)
        assert (found.low, found.high, found.guaranteed) == (0.0, 1.0, False)


def test_the_user_may_know_better_what_was_held_out():
    assert RANKER.certificate(*TRAIN, held_out=True).held_out
    assert not RANKER.certificate(*FRESH, held_out=False).held_out


def test_other_labels_are_refused_and_text_labels_are_those_of_the_fit():
    with pytest.raises(InputError, match="labels of the training rows"):
        RANKER.certificate(FRESH[0], np.where(FRESH[1], 2, 3))
    named = LinearRanker().fit(TRAIN[0], np.where(TRAIN[1], "sick", "healthy"))
    swapped = named.certificate(FRESH[0], np.where(FRESH[1], "sick", "healthy"))
    assert swapped.estimate == RANKER.certificate(*FRESH).estimate


def test_equal_rows_have_equal_hashes_and_others_do_not():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (3000, 6)).astype(float)
    found = hashes(X)
    assert len(np.unique(found)) == len(np.unique(X, axis=0))
    np.testing.assert_array_equal(found, hashes(sparse.csr_array(X)))
    np.testing.assert_array_equal(hashes(-0.0 * X), 0)


@pytest.mark.parametrize("n_rows", [2, 7, 100, 30_000])
def test_a_training_set_is_recognized_and_so_is_a_tenth_of_it_unless_it_is_tiny(n_rows):
    rng = np.random.default_rng(n_rows)
    X = rng.standard_normal((n_rows, 3))
    known = Fingerprints.of_training(X)
    assert known.recognize(X)
    if n_rows >= 100:
        assert known.recognize(np.concatenate([X[: n_rows // 10], rng.standard_normal((20, 3))]))
    assert not any(known.recognize(rng.standard_normal((n_rows, 3))) for _ in range(20))


def test_so_many_rows_have_the_same_fingerprint_that_it_does_not_tell_which_one_it_was():
    """Where all values of two columns are known: ten and more pairs of them fit the fingerprint of a training row."""
    X = np.random.default_rng(0).standard_normal((400, 2))
    known = Fingerprints.of_training(X)
    pairs = np.stack(np.meshgrid(X[:, 0], X[:, 1]), axis=-1).reshape(-1, 2)
    marks = hashes(pairs) >> np.uint64(64 - known.n_bits)
    assert np.isin(marks, known.marks).sum() >= 10 * len(known.marks)
