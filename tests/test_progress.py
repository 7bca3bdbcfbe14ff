"""News of long computations, and the line that shows them on a terminal."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from podium import GradientBoostedRanker, StackedRanker
from podium._progress import Progress, listening, report_progress, subtask


def test_a_portion_of_the_work_tells_its_share_of_the_whole():
    told = []
    with listening(told.append):
        for done in range(2):
            with subtask(done, 2):
                report_progress(0.5)
        report_progress(1.0)
    report_progress(0.3)  # nobody listens any more
    assert told == [0.25, 0.5, 0.75, 1.0, 1.0]


def test_only_the_outermost_computation_is_heard():
    told = []
    with listening(told.append):
        outer = Progress("outer", 2, enabled=False)
        inner = Progress("inner", 10, enabled=False)
        inner.update(3)
        inner.close()
        outer.update(1)
        outer.close()
        report_progress(1.0)
    assert told == [0.5, 1.0]


@pytest.mark.parametrize(
    ("ranker", "news"),
    [
        (GradientBoostedRanker(n_estimators=8), 8),
        (StackedRanker([("trees", GradientBoostedRanker(n_estimators=8))], cv=3), 4),  # and one fit to all rows
    ],
)
def test_a_ranker_tells_of_each_round_or_fold(ranker, news):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 2))
    told = []
    with listening(told.append):
        ranker.fit(X, X[:, 0] + rng.standard_normal(200) > 0)
    np.testing.assert_allclose(told, np.arange(1, news + 1) / news)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="the system makes no terminals")
def test_on_a_terminal_the_time_left_is_shown_and_the_line_leaves_no_trace(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 10))
    y = (X.sum(axis=1) + 3 * rng.standard_normal(20_000) > 0).astype(int)  # no column alone tells as much as the model
    names = [f"x{j}" for j in range(10)]
    np.savetxt(tmp_path / "t.csv", np.c_[X, y], "%.4f", ",", header=",".join([*names, "y"]), comments="")
    screen, end = os.openpty()
    command = ["fit", "t.csv", "--label", "y", "--model", "trees"]
    run = subprocess.Popen(
        [sys.executable, "-c", "from podium.cli import main; main()", *command],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=end,
        text=True,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(end)
    shown = b""
    try:
        while piece := os.read(screen, 65536):
            shown += piece
    except OSError:  # how Linux says that the other end was closed
        pass
    out, _ = run.communicate()
    os.close(screen)
    line = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[╸╺]", "", shown.decode())
    assert run.returncode == 0
    assert re.search(r"training trees on 14,000 rows ━+ \d:\d\d, \d:\d\d left", line)
    assert "writing the report" in line
    assert shown.endswith((b"\x1b[2K", b"\x1b[?25h"))  # the line is gone, the cursor back
    assert "\x1b" not in out


def test_without_a_terminal_the_last_line_is_logged_or_printed(caplog, capsys, monkeypatch):
    caplog.set_level("INFO", "podium")
    for _ in range(2):
        progress = Progress("work", 2, enabled=True)
        progress.update(2)
        progress.close()
        monkeypatch.setattr("logging.Logger.hasHandlers", lambda self: False)
    assert [record.name for record in caplog.records] == ["podium"]
    assert "2/2" in caplog.text
    assert capsys.readouterr().err.count("2/2") == 1
