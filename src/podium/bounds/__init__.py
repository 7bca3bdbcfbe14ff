"""What can be guaranteed, with explicit constants and for every distribution.

Functions of sample sizes, of a class of scorers and of the confidence level, never of the data. A ``*_deviation`` is
exceeded with probability at most δ = 1 − ``confidence_level``, its ``*_sample_size`` says how many observations bring
it down to ε, and :func:`judge` says whether it is vacuous.
"""

from podium.bounds.area_fixed import (
    KlInterval,
    auc_deviation,
    auc_sample_size,
    auc_tail,
    error_rate_deviation,
    error_rate_tail,
    error_rate_variance,
    kl_interval,
    kl_sample_size,
)
from podium.bounds.area_uniform import (
    auc_finite_class_deviation,
    auc_finite_class_sample_size,
    auc_finite_class_tail,
    auc_uniform_deviation,
    auc_uniform_log_tail,
    auc_uniform_sample_size,
    freund_deviation,
    freund_sample_size,
)
from podium.bounds.area_variance import (
    AucGivenErrors,
    auc_chebyshev,
    auc_chebyshev_sample_size,
    auc_given_error_interval,
    auc_given_errors,
    auc_normal,
    auc_normal_sample_size,
    auc_variance,
    auc_variance_max,
)
from podium.bounds.penalty import auc_penalty, paper_penalty, paper_supremum_tail, rank_statistic_penalty
from podium.bounds.push import log_covering_linear, push_log_tail, push_sample_size
from podium.bounds.rank_statistic import (
    rank_statistic_bias,
    rank_statistic_deviation,
    rank_statistic_rank_deviation,
    rank_statistic_sample_size,
    rank_statistic_sensitivity,
    rank_statistic_span,
    rank_statistic_uniform_deviation,
    rank_statistic_uniform_sample_size,
)
from podium.bounds.sample_size import Judgment, judge, sample_size
from podium.bounds.shatter import (
    count_rank_matrices,
    count_sign_patterns,
    log_rank_shatter,
    log_sign_patterns,
    polynomial_dimension,
)

__all__ = [
    "AucGivenErrors",
    "Judgment",
    "KlInterval",
    "auc_chebyshev",
    "auc_chebyshev_sample_size",
    "auc_deviation",
    "auc_finite_class_deviation",
    "auc_finite_class_sample_size",
    "auc_finite_class_tail",
    "auc_given_error_interval",
    "auc_given_errors",
    "auc_normal",
    "auc_normal_sample_size",
    "auc_penalty",
    "auc_sample_size",
    "auc_tail",
    "auc_uniform_deviation",
    "auc_uniform_log_tail",
    "auc_uniform_sample_size",
    "auc_variance",
    "auc_variance_max",
    "count_rank_matrices",
    "count_sign_patterns",
    "error_rate_deviation",
    "error_rate_tail",
    "error_rate_variance",
    "freund_deviation",
    "freund_sample_size",
    "judge",
    "kl_interval",
    "kl_sample_size",
    "log_covering_linear",
    "log_rank_shatter",
    "log_sign_patterns",
    "paper_penalty",
    "paper_supremum_tail",
    "polynomial_dimension",
    "push_log_tail",
    "push_sample_size",
    "rank_statistic_bias",
    "rank_statistic_deviation",
    "rank_statistic_penalty",
    "rank_statistic_rank_deviation",
    "rank_statistic_sample_size",
    "rank_statistic_sensitivity",
    "rank_statistic_span",
    "rank_statistic_uniform_deviation",
    "rank_statistic_uniform_sample_size",
    "sample_size",
]
