"""The part of the report that offers cuts with a promise."""

import numpy as np
import pytest

from podium import report, shortlist
from podium._types import Sample
from podium.report.budgets import RankedList, cuts


def sample(n=3000, share=0.2):
    rng = np.random.default_rng(0)
    y = rng.random(n) < share
    return y, rng.standard_normal(n) + 1.8 * y


def found(y, s, population=6000, prevalence=None):
    return cuts(RankedList.of(Sample(scores=s, is_positive=y, weight=None), population, 0.95, prevalence))


def test_every_promise_is_that_of_the_shortlist_and_rows_are_those_above_its_threshold():
    y, s = sample()
    answers = [shortlist.by_recall(y, s), shortlist.by_fpr(y, s), shortlist.by_precision(y, s)]
    offered = found(y, s)
    assert [cut.promise for cut in offered[:3]] == [answer.guarantee for answer in answers]
    for cut, answer in zip(offered, answers, strict=False):
        assert float(cut.rows.replace(",", "")) == pytest.approx(2 * np.sum(s >= answer.threshold), abs=0.51)
    assert [cut.option for cut in offered] == ["--recall 0.95", "--fpr 0.05", "--precision 0.8", "--fdr 0.1"]


def test_where_rows_are_too_few_it_says_how_many_it_takes():
    offered = found(*sample(120))
    assert "takes 59 positives in the calibration sample" in offered[0].promise
    assert offered[0].rows == "–"
    assert offered[2].rows == "none"


def test_with_another_share_of_positives_only_rates_within_a_class_are_offered():
    y, s = sample()
    offered = found(y, s, prevalence=0.5)
    assert [cut.option for cut in offered] == ["--recall 0.95", "--fpr 0.05"]
    t = shortlist.by_recall(y, s).threshold
    rows = 6000 * (0.5 * np.mean(s[y] >= t) + 0.5 * np.mean(s[~y] >= t))
    assert float(offered[0].rows.replace(",", "")) == pytest.approx(rows, abs=0.51)


def test_the_page_offers_them_unless_a_warning_stands():
    y, s = sample(600)
    assert "Where to cut" in report.build(y, s).html
    assert "Where to cut" not in report.build(y, s, warnings=["Rows repeat."]).html
