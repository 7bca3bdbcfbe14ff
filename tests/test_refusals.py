"""What users are told: what is needed, what was got, and what they probably meant."""

from __future__ import annotations

import numpy as np
import pytest

from podium import LinearRanker, criteria, inference, metrics, phi, roc, rounds
from podium.exceptions import InputError, InputTypeError

Y, S = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: inference.interval(Y, S, confidence_level=95), InputError, r"got 95\.\nHint: 95 % is 0\.95\."),
        (lambda: metrics.partial_auc(Y, S, max_fpr=5), InputError, r"Hint: 5 % is 0\.05\."),
        (lambda: inference.interval(Y, S, method="delongg"), InputError, "Hint: did you mean 'delong'"),
        (lambda: phi.resolve("powr:3"), InputError, "did you mean power:3"),
        (lambda: criteria.resolve("pusch:4"), InputError, "did you mean push:4:logistic"),
        (lambda: criteria.resolve("smoth-top:0.9"), InputError, "did you mean smooth-top:0.9"),
        (lambda: metrics.auc(Y, (s for s in S)), InputError, "must be one-dimensional; got one generator"),
        (lambda: metrics.auc(None, S), InputError, "must be one-dimensional; got one NoneType"),
        (lambda: metrics.auc(np.array([Y]).T, S), InputError, r"for instance table\['column'\]"),
        (lambda: metrics.auc(Y, np.array([S]).T), InputError, r"for instance predict_proba\(X\)\[:, 1\]"),
        (lambda: metrics.precision_at(Y, S), InputError, "got neither"),
        (lambda: metrics.precision_at(Y, S, k=1, fraction=0.5), InputError, "got both"),
        (lambda: roc.RocCurve.from_points([0.5, 0.2], [0.1, 0.2]), InputError, "got rates that fall"),
        (lambda: roc.RocCurve.from_points([0.5], [0.1, 0.2]), InputError, "got 1 and 2 points"),
        (lambda: rounds.count_list([(Y, S)]), InputTypeError, "a function that returns chunks of them anew"),
        (lambda: LinearRanker().fit([["a", 1.0]] * 4, Y), InputError, "needs a number in every cell; got the text 'a'"),
    ],
)
def test_a_refusal_says_what_was_got_and_what_may_be_meant(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_a_share_that_is_no_percentage_gets_no_such_hint():
    with pytest.raises(InputError) as refusal:
        inference.interval(Y, S, confidence_level=-1)
    assert refusal.value.hint is None
