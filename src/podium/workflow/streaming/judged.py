"""What is guaranteed of a list that is known by counts, and the hits within a budget."""

from __future__ import annotations

from podium import phi as phi_
from podium.chunks import CountedList
from podium.inference import Certificate, PrecisionInterval
from podium.inference.certificates import Seen, certificate_of
from podium.inference.hits.new_draw import NewDraw
from podium.inference.hits.precision import check_next_list, precision_interval


def counted_certificate(counted: CountedList, phi: str, confidence_level: float) -> Certificate | None:
    """As :func:`podium.inference.certificate` of all rows; None where the list is not exact.

    Rows of one class that follow each other are taken to tie, where that makes the statement the weaker one.
    """
    if counted.max_error:
        return None
    generator = phi_.resolve(phi)
    n_pos, n_neg = int(counted.n_pos), int(counted.n_neg)
    mean = counted.rank_statistic(generator, scale="mean")
    seen = Seen(n_pos, n_neg, counted.rank_statistic(generator), mean, len(counted.pos) < n_pos + n_neg)
    return certificate_of(seen, generator, confidence_level)


def counted_hits(
    counted: CountedList, budget: int, population: int | None, prevalence: float | None, confidence_level: float
) -> PrecisionInterval | None:
    """As :func:`podium.inference.precision_at_interval` of all rows; None where the list is not exact."""
    n_pos, n_neg = int(counted.n_pos), int(counted.n_neg)
    k, n_next, prevalence = check_next_list(budget, population, prevalence, n_pos + n_neg)
    if counted.max_error:
        return None
    found = NewDraw.of_groups(counted.ties, prevalence).prediction(k, n_next, confidence_level)
    share = n_pos / (n_pos + n_neg) if prevalence is None else prevalence
    return precision_interval(found, k, n_next, "random", share, confidence_level, n_pos, n_neg)
