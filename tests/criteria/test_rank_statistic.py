"""The smoothed rank statistic: the paper's sums, their limits, and what leaves them as they are."""

import numpy as np
import pytest
from scipy.stats import rankdata

from criteria import naive_smoothed
from criteria.smoothed_samples import every_kernel, every_phi, relative_or_not, sample, some_pairs
from podium import phi
from podium._types import Sample
from podium.criteria import RankStatistic, resolve
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError


@every_phi
@every_kernel
def test_value_and_gradient_are_the_double_sums_of_the_paper(phi_name, kernel):
    scores, is_positive, weight = sample(24)
    criterion = RankStatistic(phi_name, kernel, bandwidth=0.3, relative=False, tol=1e-12)
    bound = criterion.phi.bind(weight.sum())
    value, gradient = criterion.value_and_gradient(scores, is_positive, weight)
    expected = naive_smoothed.smoothed_rank_statistic(scores, is_positive, weight, bound.value, kernel, 0.3)
    assert value == pytest.approx(expected, rel=1e-10)
    expected = naive_smoothed.smoothed_gradient(scores, is_positive, weight, bound.derivative, kernel, 0.3)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


@some_pairs
@relative_or_not
def test_gradient_agrees_with_central_differences(phi_name, kernel, relative):
    scores, is_positive, weight = sample(20)
    criterion = RankStatistic(phi_name, kernel, bandwidth=0.6, relative=relative, tol=1e-12)
    _, gradient = criterion.value_and_gradient(scores, is_positive, weight)
    step = 1e-5
    for j in range(len(scores)):
        shift = step * (np.arange(len(scores)) == j)
        up, _ = criterion.value_and_gradient(scores + shift, is_positive, weight)
        down, _ = criterion.value_and_gradient(scores - shift, is_positive, weight)
        # Third derivatives reach λ² for the smooth top share; K' jumps for Laplace and Epanechnikov.
        assert (up - down) / (2 * step) == pytest.approx(gradient[j], rel=1e-4, abs=1e-4 * np.abs(gradient).max())


@every_kernel
def test_a_positive_above_one_negative_gives_the_two_term_formula(kernel):
    _, gradient = RankStatistic(kernel=kernel, bandwidth=2.0, relative=False).value_and_gradient([1.0, 0.0], [1, 0])
    slope = naive_smoothed.KERNELS[kernel].pdf(0.5) / (2 * 2.0)
    np.testing.assert_allclose(gradient, [slope, -slope], rtol=1e-6)


@every_kernel
def test_smoothed_ranks_tend_to_midranks_less_half_as_bandwidth_vanishes(kernel):
    scores, is_positive, _ = sample(200)
    scores = np.round(scores, 1)  # ties
    value, _ = RankStatistic("mww", kernel, bandwidth=1e-7, relative=False).value_and_gradient(scores, is_positive)
    midranks = rankdata(scores)[is_positive]
    assert value == pytest.approx(np.mean(midranks - 0.5) / len(scores), rel=1e-12)


@every_kernel
def test_smoothed_ranks_tend_to_one_half_as_bandwidth_grows(kernel):
    scores, is_positive, _ = sample(200)
    value, gradient = RankStatistic("mww", kernel, bandwidth=1e12).value_and_gradient(scores, is_positive)
    assert value == pytest.approx(0.5, abs=1e-10)
    assert np.abs(gradient).max() < 1e-10


@some_pairs
def test_gradient_sums_to_zero(phi_name, kernel):
    scores, is_positive, weight = sample(300)
    for relative in (True, False):
        _, gradient = RankStatistic(phi_name, kernel, relative=relative).value_and_gradient(scores, is_positive, weight)
        assert abs(gradient.sum()) <= 1e-12 * np.abs(gradient).sum()


@some_pairs
def test_a_relative_bandwidth_makes_the_value_invariant_to_scale(phi_name, kernel):
    scores, is_positive, weight = sample(300)
    criterion = RankStatistic(phi_name, kernel, tol=1e-10)
    value, gradient = criterion.value_and_gradient(scores, is_positive, weight)
    scaled_value, scaled_gradient = criterion.value_and_gradient(3 * scores + 7, is_positive, weight)
    assert scaled_value == pytest.approx(value, rel=1e-9)
    np.testing.assert_allclose(3 * scaled_gradient, gradient, atol=1e-9 * np.abs(gradient).max())
    assert abs(gradient @ scores) <= 1e-9 * np.linalg.norm(gradient) * np.linalg.norm(scores)


@every_kernel
@relative_or_not
def test_permuting_rows_permutes_the_gradient(kernel, relative):
    scores, is_positive, weight = sample(300)
    order = np.random.default_rng(3).permutation(300)
    criterion = RankStatistic("power:3", kernel, relative=relative)
    value, gradient = criterion.value_and_gradient(scores, is_positive, weight)
    permuted, permuted_gradient = criterion.value_and_gradient(scores[order], is_positive[order], weight[order])
    assert permuted == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(permuted_gradient, gradient[order], atol=1e-12 * np.abs(gradient).max())


@every_kernel
@relative_or_not
def test_whole_weights_equal_repeated_rows(kernel, relative):
    scores, is_positive, weight = sample(100)
    weight[::7] = 0.0
    times = weight.astype(int)
    criterion = RankStatistic("dcg", kernel, relative=relative)
    value, gradient = criterion.value_and_gradient(scores, is_positive, weight)
    repeated_value, repeated = criterion.value_and_gradient(np.repeat(scores, times), np.repeat(is_positive, times))
    assert value == pytest.approx(repeated_value, rel=1e-9)
    np.testing.assert_allclose(
        np.repeat(gradient, times), repeated * np.repeat(weight, times), atol=1e-9 * np.abs(gradient).max()
    )
    assert not gradient[weight == 0].any()


@every_kernel
@pytest.mark.parametrize("bandwidth", [None, 1e-5])
@pytest.mark.parametrize("weighted", [True, False])
def test_merged_chunks_equal_the_whole(kernel, bandwidth, weighted):
    scores, is_positive, weight = sample(1000)
    scores[::5] = np.round(scores[::5], 1)
    order = np.argsort(~is_positive, kind="stable")  # the first chunks hold positives only, the last none
    scores, is_positive, weight = scores[order], is_positive[order], weight[order]
    criterion = RankStatistic("power:3", kernel, bandwidth)
    value, gradient = criterion.value_and_gradient(scores, is_positive, weight if weighted else None)
    for n_chunks in (2, 7):
        chunks = [
            Sample(scores[part], is_positive[part], weight[part] if weighted else None)
            for part in np.array_split(np.arange(1000), n_chunks)
        ]
        merged, gradients = criterion.over_chunks(chunks)
        assert merged == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(np.concatenate(gradients), gradient, atol=1e-12 * np.abs(gradient).max())


@relative_or_not
def test_equal_scores_give_one_half_and_a_zero_gradient_if_the_bandwidth_follows_their_spread(relative):
    is_positive = np.array([True, False, False])
    value, gradient = RankStatistic("power:2", bandwidth=1.0, relative=relative).value_and_gradient(
        [0.1] * 3, is_positive
    )
    assert value == pytest.approx(0.25, rel=1e-6)
    if relative:
        assert not gradient.any()
    else:
        assert gradient[0] > 0 > gradient[1] == gradient[2]


@pytest.mark.parametrize("spec", ["top:0.9", "median", "dcg:10"])
def test_a_phi_that_jumps_is_refused_with_the_smooth_one_to_train_with(spec):
    with pytest.raises(InputError, match=f"train with '{phi.resolve(spec).smooth_alternative()}'"):
        RankStatistic(spec)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"bandwidth": 0.0}, InputError),
        ({"bandwidth": "wide"}, InputTypeError),
        ({"tol": 1e-15}, InputError),
        ({"kernel": "box"}, InputError),
        ({"phi": "powr:3"}, InputError),
        ({"relative": "yes"}, InputError),
    ],
)
def test_unusable_parameters_are_refused(arguments, error):
    with pytest.raises(error):
        RankStatistic(**arguments)


def test_a_sample_of_one_class_is_refused():
    with pytest.raises(DegenerateSampleError):
        RankStatistic().value_and_gradient([1.0, 2.0], [True, True])


@pytest.mark.parametrize("spec", ["auc", "power:3", "smooth-top:0.9", phi.Power(2)])
def test_a_phi_means_its_rank_statistic(spec):
    assert resolve(spec) == RankStatistic(spec)


def test_a_criterion_passes_through_and_anything_else_is_refused_with_what_is_understood():
    criterion = RankStatistic("power:4", "laplace")
    assert resolve(criterion) is criterion
    with pytest.raises(InputError, match=r"choose from auc, .*power:3"):
        resolve("powr:3")
    with pytest.raises(InputTypeError, match="choose from auc"):
        resolve(3)
