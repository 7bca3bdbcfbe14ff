"""Limits for every order statistic at once, each missed with the same small probability: the local level.

Two independent sorted uniform samples stay inside all their limits with the wanted probability; bands for the ROC
curve follow from that alone, whatever the distributions of the scores.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy

from podium._fast.draws import log_stay_probability
from podium._shares import order_statistic_limits

# Up to here the recursion is exact and takes a tenth of a second; beyond, see :func:`log_coverage`.
LARGEST_EXACT = 5000


@lru_cache(maxsize=256)  # beyond the exact sizes both classes ask for the same two
def log_coverage(n: int, level: float, two_sided: bool = True) -> float:
    r"""Logarithm of Q_n(α): all n order statistics inside their limits of level α, two-sided or lower only.

    Exact by a Poisson-bridge recursion up to n = 5,000. Beyond, −log Q_n grows like log n at a rate that settles
    (the standardized empirical process is a stationary one on the scale of log t/(1 − t)); the rate is taken from n =
    2,500 to 5,000 and 2 % is added, more than it can still grow: log Q_n comes out too low, by less than 0.001.
    """
    if n > LARGEST_EXACT:
        half, whole = (log_coverage(size, level, two_sided) for size in (LARGEST_EXACT // 2, LARGEST_EXACT))
        return whole + 1.02 * (whole - half) / np.log(2) * np.log(n / LARGEST_EXACT)
    low, high = order_statistic_limits(n, level / 2 if two_sided else level)
    return log_stay_probability(low[1:-1], high[1:-1] if two_sided else np.ones(n))


@lru_cache(maxsize=256)
def local_level(n_pos: int, n_neg: int, confidence_level: float, two_sided: bool = True) -> float:
    """The α at which both samples stay inside all their limits with probability ``confidence_level``.

    >>> round(local_level(150, 150, 0.95), 8)
    0.00086319
    """

    def excess(log_level: float) -> float:
        """The logarithm of −log coverage over the wanted one: nearly a line, whose root takes few steps."""
        level = float(np.exp(log_level))
        logs = log_coverage(n_pos, level, two_sided) + log_coverage(n_neg, level, two_sided)
        return float(np.log(np.clip(logs / np.log(confidence_level), 1e-300, 1e300)))

    miss = 1 - confidence_level
    # Bonferroni below; above, a single limit would already be missed too often.
    bracket = np.log(miss / (n_pos + n_neg) / 2), np.log(miss)
    return float(np.exp(scipy.optimize.brentq(excess, *bracket, xtol=1e-9)))
