"""Every criterion in blocks that one process reads in turn: what rows in one array give."""

from itertools import cycle

import numpy as np
import pytest

from chunked_criteria import chunked_criteria
from podium import LinearRanker, QuadraticRanker
from podium.distributed.blocks import BlockWriter, Loop, StoredBlock, collection_of, opened
from podium.distributed.fit import fit_collection
from podium.distributed.rows import PartitionedRows
from podium.models import LinearModel
from podium.objective import DataInMemory
from podium.rankers.lines import prepare

N = 700
RNG = np.random.default_rng(1)
X = RNG.standard_normal((N, 4))
Y = X @ [1.0, -0.5, 0.2, 0.0] + RNG.standard_normal(N) > 0.7
Y[400:550] = False  # a block of seven without positives
W = RNG.integers(1, 4, N).astype(float)
CUTS = {1: [], 2: [500], 7: [40, 250, 400, 550, 690, 699]}
CRITERIA = chunked_criteria(N)


@pytest.fixture
def few(monkeypatch):
    """Plug-in rules from 300 rows, as if 700 were many."""
    monkeypatch.setattr(prepare, "FEW", 300)
    monkeypatch.setattr(prepare, "_PER_COLUMN", 1)


def block(loop, X, is_positive, weight):
    return StoredBlock(rows=loop.store(X), n_columns=X.shape[1], is_positive=is_positive, weight=weight)


def collection(folder, cuts, weight=None, memory=0.0):
    """Blocks of double precision; without memory every result waits in a file."""
    loop = Loop(folder, memory)
    rows = np.split(np.arange(N), cuts)
    return collection_of(loop, [block(loop, X[r], Y[r], None if weight is None else weight[r]) for r in rows])


@pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
def test_value_and_gradient_are_those_of_rows_in_memory(tmp_path, cuts):
    here = DataInMemory(X, Y, W)
    there = PartitionedRows.of(collection(tmp_path, cuts, W), True, None).data
    theta = np.linspace(0.5, 1, 4)
    for name, criterion in CRITERIA.items():
        value, gradient = here.value_and_gradient(criterion, LinearModel(), theta)
        value_there, gradient_there = there.value_and_gradient(criterion, LinearModel(), theta)
        assert value_there == pytest.approx(value, rel=1e-10), name
        np.testing.assert_allclose(gradient_there, gradient, atol=1e-10 * np.abs(gradient).max(), err_msg=name)


@pytest.mark.usefixtures("few")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "cuts"), list(zip(CRITERIA, cycle(CUTS), strict=False)))
def test_coefficients_are_those_of_rows_in_memory(tmp_path, name, cuts):
    expected = LinearRanker(CRITERIA[name], max_iter=15).fit(X, Y)
    ranker = fit_collection(LinearRanker(CRITERIA[name], max_iter=15), collection(tmp_path, CUTS[cuts]), None)
    np.testing.assert_allclose(ranker.coef_, expected.coef_, atol=1e-6 * np.abs(expected.coef_).max())
    assert ranker.threshold_ == pytest.approx(expected.threshold_, abs=1e-6)
    assert ranker.classes_.tolist() == [False, True]


@pytest.mark.usefixtures("few")
@pytest.mark.filterwarnings("ignore:L-BFGS stopped")
def test_quadrics_and_weights_too(tmp_path):
    expected = QuadraticRanker("power:3", max_iter=5).fit(X, Y, W)
    ranker = fit_collection(QuadraticRanker("power:3", max_iter=5), collection(tmp_path, CUTS[7], W, 1e9), None)
    np.testing.assert_allclose(ranker.coef_, expected.coef_, atol=1e-6 * np.abs(expected.coef_).max())


def test_results_beyond_the_memory_wait_in_files_and_leave_none_behind(tmp_path):
    loop = Loop(tmp_path, memory=1000)
    rows = loop.store(X.astype(np.float32))
    np.testing.assert_array_equal(rows.read(3, 9), X[3:9].astype(np.float32))
    small, large = loop.map(np.ones, [10, 1000])
    assert len(list(tmp_path.iterdir())) == 2  # the rows and the second result
    again = loop.map(np.ones, [100])  # 80 bytes are held
    assert len(list(tmp_path.iterdir())) == 2
    assert [len(each) for each in loop.gather([small, large, *again])] == [10, 1000, 100]
    assert opened([[small], 7])[1] == 7
    del small, large, again
    assert len(list(tmp_path.iterdir())) == 1
    assert loop._held == 0


def test_pieces_of_any_size_become_blocks_of_one(tmp_path):
    brief = X.astype(np.float32)
    for weight in (W, None):
        writer = BlockWriter(Loop(tmp_path, 0.0), 4)
        writer._rows = writer._rows[:300]
        for rows in np.split(np.arange(N), [30, 60, 60, 290, 699]):
            writer.add(brief, rows, Y, weight)
        writer.close()
        assert [len(block.is_positive) for block in writer.blocks] == [300, 300, N - 600]
        stored = np.concatenate([opened(block.rows) for block in writer.blocks])
        np.testing.assert_array_equal(stored, brief)
        np.testing.assert_array_equal(np.concatenate([block.is_positive for block in writer.blocks]), Y)
        weights = [block.weight for block in writer.blocks]
        if weight is None:
            assert weights == [None, None, None]
        else:
            np.testing.assert_array_equal(np.concatenate(weights), W)
