"""Data are checked at the door, not again and again beneath it."""

import numpy as np
import pandas as pd

from podium import _input

DOORS = ("check_sample", "check_scores", "check_labels", "check_weights")


def test_a_fit_checks_its_rows_at_most_eight_times(podium, monkeypatch, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((600, 6)), columns=list("abcdef"))
    frame.assign(y=(frame["a"] + rng.logistic(size=600) > 1).astype(int)).to_csv(tmp_path / "table.csv", index=False)
    called, inside = [], []

    def counted(name, check):
        def wrapped(*args, **kwargs):
            if not inside:  # what a check calls itself is part of it
                called.append(name)
            inside.append(name)
            try:
                return check(*args, **kwargs)
            finally:
                inside.pop()

        return wrapped

    for name in DOORS:
        monkeypatch.setattr(_input, name, counted(name, getattr(_input, name)))
    options = ("--label", "y", "--model", "linear", "--budget", 50)
    run = podium("fit", tmp_path / "table.csv", *options, "--out", tmp_path / "out")
    assert run.code == 0
    assert 0 < len(called) <= 8, called
