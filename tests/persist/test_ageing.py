"""What a class keeps in a file may grow: old files stay readable, and newer ones are refused in a sentence."""

import io

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from persist.hostile import Parts, sealed
from podium import InputError, InputTypeError, LinearRanker, persist, rankers
from podium._types import FloatArray, Sometimes
from podium.persist import files
from podium.persist.states import schema_of
from podium.phi import Power
from podium.rankers import Ranker
from podium.rankers.treerank.cells import RankingTree

X = np.random.default_rng(0).standard_normal((60, 2))
Y = X[:, 0] > 0


class Young(Ranker):
    center_: FloatArray

    def __init__(self, power=1.0):
        self.power = power

    def _fit(self, X, is_positive, weight):
        self.center_ = X[is_positive].mean(axis=0) - X[~is_positive].mean(axis=0)

    def _scores(self, X):
        return X @ self.center_


class Old(Young):
    """The same class, some versions later."""

    shift_: FloatArray | None = None
    turns_: Sometimes[int]

    def __init__(self, power=1.0, *, depth=7):
        super().__init__(power)
        self.depth = depth


def is_now(monkeypatch, kind):
    """A class is what ``podium.rankers.Growing`` stands for; returns it under that name."""
    kind = type("Growing", (kind,), {"__module__": "podium.rankers.growing"})
    monkeypatch.setattr(rankers, "Growing", kind, raising=False)
    monkeypatch.setattr(rankers, "__all__", [*rankers.__all__, "Growing"])
    return kind


def test_a_file_from_before_a_parameter_was_there_gets_its_default(monkeypatch):
    with monkeypatch.context() as then:
        ranker = is_now(then, Young)(2.0).fit(X, Y)
        content = persist.dumps(ranker)
    kind = is_now(monkeypatch, Old)
    again = persist.loads(content)
    assert type(again) is kind
    assert again.get_params() == {"power": 2.0, "depth": 7}
    assert again.shift_ is None
    np.testing.assert_array_equal(again.decision_function(X), ranker.decision_function(X))


def test_a_parameter_from_the_future_is_refused_with_a_sentence(monkeypatch):
    with monkeypatch.context() as then:
        content = persist.dumps(is_now(then, Old)(depth=3).fit(X, Y))
    is_now(monkeypatch, Young)
    with pytest.raises(InputError, match=r"'depth', which this version of Podium does not know(.|\n)*update podium"):
        persist.loads(content)


def changed(content, change):
    parts = Parts(content)
    change(parts)
    return parts.content()


@pytest.fixture(scope="module")
def content():
    return persist.dumps(LinearRanker().fit(X, Y))


def test_a_file_of_a_format_from_the_future_is_refused_with_a_sentence(content):
    with pytest.raises(InputError, match=r"has format 4; this version of Podium \(.*\) reads format 3(.|\n)*update"):
        persist.loads(content.replace(b"podium model 3", b"podium model 4", 1))


def test_a_file_of_a_newer_version_is_read_if_all_in_it_is_understood(content, monkeypatch):
    monkeypatch.setattr(files, "__version__", "0.0.9")
    assert persist.loads(content).n_features_in_ == 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda p: p.of_kind("LinearRanker").update(kind="podium.rankers.Later"), "podium.rankers.Later"),
        (lambda p: p.of_kind("LinearRanker")["state"]["items"].append(["later_", 1]), "'later_'"),
    ],
)
def test_what_only_a_newer_version_knows_is_refused_with_its_number(content, change, sentence, monkeypatch):
    strange = changed(content, change)
    with pytest.raises(InputError, match=sentence):
        persist.loads(strange)
    monkeypatch.setattr(files, "__version__", "0.0.9")
    with pytest.raises(InputError, match=rf"{sentence}(.|\n)*Hint: podium 0.1.0 wrote it(.|\n)*0.0.9: update podium"):
        persist.loads(strange)


def test_a_fitted_ranker_without_a_part_is_refused(content):
    def without_weights(parts):
        items = parts.of_kind("LinearRanker")["state"]["items"]
        items.remove(next(item for item in items if item[0] == "_quantiles"))

    with pytest.raises(InputError, match="a fitted LinearRanker needs _quantiles"):
        persist.loads(changed(content, without_weights))


def test_a_part_of_another_type_is_refused(content):
    with pytest.raises(InputError, match=r"LinearRanker\.threshold_ is not what it should be"):
        persist.loads(changed(content, lambda p: p.attribute("LinearRanker", "threshold_").__setitem__(1, "high")))


def test_an_attribute_that_a_class_does_not_declare_is_not_dropped_in_silence():
    ranker = LinearRanker().fit(X, Y)
    ranker.remark_ = "by me"
    with pytest.raises(InputError, match="this LinearRanker also has 'remark_'"):
        persist.dumps(ranker)


def test_what_is_computed_once_and_kept_is_not_in_the_file():
    tree = rankers.TreeRanker().fit(X, Y)
    before = persist.dumps(tree)
    assert "scores" not in schema_of(RankingTree)
    tree.decision_function(X)
    assert tree.tree_.scores is tree.tree_.scores
    assert persist.dumps(tree) == before


def test_values_with_slots_are_read_from_lists_too(content):
    ranker = LinearRanker(Power(3.0))

    def as_list(parts):
        parts.of_kind("Power")["state"] = [4.0]

    assert persist.loads(changed(persist.dumps(ranker), as_list)).criterion.q == 4.0


def test_estimators_of_another_scikit_learn_are_read_with_one_warning():
    stack = rankers.StackedRanker([LogisticRegression(), LogisticRegression(C=2)], cv=2).fit(X, Y)
    content = persist.dumps(stack)
    persist.loads(content)  # without a warning
    now = persist.versions()["scikit-learn"]
    rest = content.partition(b"\n")[2].replace(now.encode(), f"0{now[1:]}".encode())
    size = int(content.partition(b"\n")[0].split()[-1])
    other = sealed(rest[:size], rest[size:])
    with pytest.warns(UserWarning, match="contains estimators of scikit-learn 0.* scores may differ") as warned:
        again = persist.loads(other)
    assert len(warned) == 1
    np.testing.assert_array_equal(again.decision_function(X), stack.decision_function(X))


def test_lines_do_not_mind_another_scikit_learn(content):
    now = persist.versions()["scikit-learn"]

    def earlier(parts):
        named = dict(parts.document["items"])["versions"]["items"]
        next(pair for pair in named if pair[0] == "scikit-learn")[1] = f"0{now[1:]}"

    persist.loads(changed(content, earlier))


def test_models_come_from_bytes_and_from_open_files(content, tmp_path):
    (tmp_path / "model.podium").write_bytes(content)
    with (tmp_path / "model.podium").open("rb") as file:
        models = [persist.load(file), persist.load(io.BytesIO(content)), persist.loads(content)]
    assert {persist.dumps(model) for model in models} == {content}


def test_a_file_that_was_opened_as_text_is_refused(tmp_path):
    (tmp_path / "model.podium").write_text("podium model 3")
    with (
        (tmp_path / "model.podium").open() as file,
        pytest.raises(InputTypeError, match="binary mode; got a file open in text mode"),
    ):
        persist.load(file)


def test_damaged_bytes_are_refused(content):
    with pytest.raises(InputError, match="The model in these bytes is damaged"):
        persist.loads(content[:-1])
