import numpy as np
import pandas as pd
import pytest

from podium.selection.dependence import Split
from podium.tables import Encoder, TrainingRows, describe


@pytest.fixture
def towns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.standard_normal(900), "town": rng.integers(40, size=900).astype(str)})
    return frame, rng.random(900) < 0.3


def taken(frame, y, rows):
    encoder = Encoder.fit(frame, rows, {"x": "number", "town": "text"}, y[rows])
    return encoder, TrainingRows.of(encoder.training_rows(frame, rows, y[rows], np.random.default_rng(1)))


def test_columns_leave_the_frame_as_they_are_encoded(towns):
    frame, y = towns
    rows = np.arange(0, 900, 2)
    encoder, training = taken(frame.assign(label=y), y, rows)
    left = frame.assign(label=y)
    TrainingRows.of(encoder.training_rows(left, rows, y[rows], np.random.default_rng(1)))
    assert list(left.columns) == ["label"]
    np.testing.assert_array_equal(training.X[:, 0], encoder.encode(frame, rows)[:, 0])


def test_other_rows_are_encoded_as_new_ones_before_their_columns_leave(towns):
    frame, y = towns
    rows, others = np.arange(0, 900, 2), np.arange(1, 900, 2)
    encoder, alone = taken(frame.copy(), y, rows)
    X = encoder.blank(len(others))
    training = TrainingRows.of(
        encoder.training_rows(frame.copy(), rows, y[rows], np.random.default_rng(1), (others, X))
    )
    np.testing.assert_array_equal(X, encoder.encode(frame, others))
    np.testing.assert_array_equal(training.X, alone.X)


def test_no_label_of_the_second_part_describes_a_row_of_either(towns):
    frame, y = towns
    rows, part = np.arange(900), Split(np.arange(600), np.arange(600, 900))
    other = np.r_[y[:600], ~y[600:]]
    one, two = (taken(frame.copy(), labels, rows)[1] for labels in (y, other))
    assert not np.array_equal(one.X, two.X)
    for a, b in zip(*(training.parted(part, np.random.default_rng(2)) for training in (one, two)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_rows_held_out_have_no_part_in_what_is_said_of_columns():
    n, training = 200, np.random.default_rng(0).permutation(200)[:120]
    seen = np.isin(np.arange(n), training)
    frame = pd.DataFrame(
        {
            "same": np.where(seen, 1, np.arange(n)),
            "none": np.where(seen, np.nan, 1.0),
            "counted": np.arange(n),
            "gaps": np.where(seen & (np.arange(n) % 3 > 0), 1.0 + np.arange(n) % 2, np.nan),
        }
    )
    y = np.arange(n) % 4 == 0
    changed = frame.iloc[np.where(seen, np.arange(n), np.flatnonzero(~seen)[0])]
    found, without = (describe(one, y, training=training) for one in (frame, changed))
    assert found == without
    assert list(found.kinds) == ["gaps"]
    assert f"of {len(training)} training rows." in found.notes[-1]
