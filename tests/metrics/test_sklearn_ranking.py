"""scikit-learn's own tests of its ranking functions, run as they are installed, with podium in place of these."""

import importlib.util
from unittest import mock

import pytest
from sklearn import metrics as sklearn_metrics
from sklearn.metrics import _ranking
from sklearn.metrics.tests import test_ranking as installed

from metrics import sklearn_adapters as adapters
from podium.exceptions import DegenerateSampleError, InputError
from podium.roc import RocCurve

# Tests about one list of two classes, and about many of them one by one, by how their names begin.
ABOUT_LISTS = (
    "test_alternative_lrap",
    "test_average_precision_constant",
    "test_average_precision_score_binary",
    "test_confusion_matrix_at_thresholds",
    "test_dcg_score",
    "test_det_curve",
    "test_label_ranking_avp",
    "test_lrap_sample_weighting",
    "test_metric_at_thresholds_consistency",
    "test_micro_averaged",
    "test_multiclass_ov",
    "test_ndcg_score",
    "test_ndcg_toy",
    "test_partial_roc_auc_score",
    "test_precision_recall_curve",
    "test_ranking_metric_pos_label_types",
    "test_roc_",
    "test_score_scale_invariance",
)
NOT_ABOUT_LISTS = {
    "test_confusion_matrix_at_thresholds_positional_args_deprecation": "how arguments may be passed",
    "test_roc_auc_score_multiclass_error": "several classes",
    "test_roc_auc_score_multiclass_labels_error": "several classes",
    "test_roc_curve_one_label": "one class: podium refuses what scikit-learn fills with NaN, see below",
}
# Where podium is asked and differs, and why.
DIFFERENCES = dict.fromkeys(
    (
        "test_average_precision_score_binary_pos_label_errors",
        "test_confusion_matrix_at_thresholds_implicit_bytes_pos_label",
        "test_confusion_matrix_at_thresholds_implicit_pos_label",
        "test_confusion_matrix_at_thresholds_multiclass_error",
        "test_det_curve_bad_input",
    ),
    "refused as well, in a sentence of our own",
)
NOT_IN_EVERY_CASE = {"test_alternative_lrap_implementation", "test_label_ranking_avp"}  # some have one class only

pytestmark = pytest.mark.filterwarnings("ignore:No positive class found")


def adapted_tests():
    """scikit-learn's module of tests once more, importing the adapters by the names of the functions."""
    spec = importlib.util.spec_from_file_location("adapted_ranking_tests", installed.__file__)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.multiple(sklearn_metrics, **adapters.PUBLIC), mock.patch.multiple(_ranking, **adapters.PRIVATE):
        spec.loader.exec_module(module)
    return {name: test for name, test in vars(module).items() if name.startswith(ABOUT_LISTS)}


def marked(name, test):
    reason = DIFFERENCES.get(name)
    return test if reason is None else pytest.mark.xfail(reason=reason, strict=True)(test)


globals().update({name: marked(name, test) for name, test in adapted_tests().items() if name not in NOT_ABOUT_LISTS})


@pytest.fixture
def global_random_seed():
    return 42


@pytest.fixture(autouse=True)
def podium_is_asked(request):
    adapters.CALLS.clear()
    yield
    assert adapters.CALLS or request.node.originalname in NOT_IN_EVERY_CASE


@pytest.mark.parametrize("labels", [[1, 1, 1], [0, 0, 0]])
def test_one_class_is_refused_where_scikit_learn_gives_nan(labels):
    adapters.CALLS.append("podium")
    with pytest.raises(DegenerateSampleError, match="one positive and one negative"):
        RocCurve.from_scores(labels, [0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("labels", "scores", "sentence"),
    [
        ([0, 1], [0, 0.5, 1], "same length"),
        ([0, 1, 2], [0, 0.5, 1], "two labels"),
        (["a", "b"], [0, 1], "needs pos_label"),
        ([b"a", b"b"], [0, 1], "needs pos_label"),
    ],
)
def test_what_scikit_learn_refuses_is_refused_in_a_sentence_of_our_own(labels, scores, sentence):
    adapters.CALLS.append("podium")
    with pytest.raises(InputError, match=sentence):
        RocCurve.from_scores(labels, scores)
