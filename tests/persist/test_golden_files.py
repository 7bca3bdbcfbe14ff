"""Files that earlier versions wrote score as they did then; `golden/make.py` writes those of a new version."""

import json
import re
import warnings

import numpy as np
import pytest

import podium.rankers
import podium.selection
from persist.golden import make
from podium import MissingPackageError, persist
from podium.rankers import Ranker

FOLDERS = sorted(path for path in make.HERE.iterdir() if (path / "scores.json").is_file())
FILES = [path for folder in FOLDERS for path in sorted(folder.glob("*.podium"))]
# The sums of a line over rows that lay column by column depended, in the last bits, on which rows were scored together,
# and the cosine of a date on how far it was from 1970; one version divided in another order to get a chance. Products
# of matrices, of which the smooth members of a stack are made, round as the processor's kind has it.
TABLES = {"first/table-linear", "first/table-quadratic", "first/table-dates"}
PRODUCTS = {"first/stack-smooth", "0.1.0/stack-smooth"}
ROUNDED = TABLES | PRODUCTS | {"between/linear-platt: chances", "between/stack-platt"}


def name_of(path):
    return f"{path.parent.name}/{path.stem}"


@pytest.fixture(scope="module")
def rows():
    return make.table()


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_file_of_an_earlier_version_scores_as_it_did_to_the_last_bit(path, rows):
    recorded = json.loads((path.parent / "scores.json").read_text())
    content, is_same_computer = path.read_bytes(), recorded["computer"] == make.computer()
    if b'"kind":"sklearn.' in content and recorded["computer"]["sklearn"] != make.computer()["sklearn"]:
        pytest.skip("estimators of another version of scikit-learn")
    try:
        model = persist.load(path)
    except MissingPackageError as error:
        pytest.skip(str(error))
    for name, expected in recorded["scores"].items():
        if name.partition(":")[0] != path.stem:
            continue
        method = "predict_proba" if name.endswith(": chances") else "decision_function"
        found = make.scores_of(model, rows, method)
        if is_same_computer and f"{path.parent.name}/{name}" not in ROUNDED:
            np.testing.assert_array_equal(found, expected)
        elif is_same_computer:
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
        else:  # other libraries and processors round in other ways, networks in single precision
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_file_of_an_earlier_version_written_again_stays_as_it_is_from_then_on(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other versions of scikit-learn
        try:
            again = persist.dumps(persist.load(path))
        except MissingPackageError as error:
            pytest.skip(str(error))
        assert persist.dumps(persist.loads(again)) == again


def test_every_ranker_is_in_a_file():
    exported = {
        f"{room.__name__}.{name}"
        for room in (podium.rankers, podium.selection)
        for name in room.__all__
        if name.endswith(("Ranker", "Search", "Selection")) and getattr(room, name) is not Ranker
    }
    kept = {kind for path in FILES for kind in re.findall(r'"kind":"([\w.]+)"', path.read_bytes().decode("latin-1"))}
    assert len(exported) > 10
    assert exported | {"podium.neural.NeuralRanker", "podium.tables.TableModel"} <= kept


def test_files_stay_small():
    assert sum(path.stat().st_size for path in make.HERE.rglob("*.*")) < 1_500_000
