"""The marker test: every cell of a table is marked, and no mark is in anything that is written or printed.

What belongs to the rows themselves is left out of the search: identifiers in a list, and the columns that it keeps.
"""

import re

import numpy as np
import pandas as pd
import pytest

from podium import persist

N_ROWS = 400
COMMON = ("north", "south", "east", "west", "harbor")
LARGE = 1e6  # marked numbers are larger: five digits may be anything, seven are one row


def words(prefix, rng, share, common=COMMON):
    """Text of which a share of the cells is a mark of its own, and the others are common values."""
    values = rng.choice(common, N_ROWS)
    return [f"zq{prefix}{i:03d}x" if rng.random() < share else str(values[i]) for i in range(N_ROWS)]


def marked_table(seed=0):
    """Every kind of column, with marks in all cells or in the rare ones."""
    rng = np.random.default_rng(seed)
    number = LARGE + 8e6 * rng.random(N_ROWS)
    few = rng.integers(0, 3, N_ROWS).astype(float)
    few[rng.choice(N_ROWS, 12, replace=False)] = LARGE + rng.integers(1, 8e6, 12)
    # No two of the moments have a third in their middle, as days would: a tree cuts there.
    moment = pd.Timestamp("1790-01-01") + pd.to_timedelta(rng.integers(0, 10**9, N_ROWS) * 3, "s")
    later = moment + pd.to_timedelta(rng.integers(0, 10**9, N_ROWS) * 3, "s")
    limit = [f"{value:.2f}" for value in LARGE + 8e6 * rng.random(N_ROWS)]
    for i, sign in zip(rng.choice(N_ROWS, 6, replace=False), ("<", "<", ">", "<", ">", "<"), strict=True):
        limit[i] = sign + limit[i]
    nearly = [str(value) for value in rng.integers(0, 100, N_ROWS)]
    for i in rng.choice(N_ROWS, 9, replace=False):
        nearly[i] = f"zqnearly{i:03d}x"
    doctors = [f"doctor {chr(97 + i)}" for i in range(16)]
    told = [f"a man {rng.choice(COMMON)} of the {rng.choice(COMMON)} zqtext{i:03d}x said" for i in range(N_ROWS)]
    frame = pd.DataFrame(
        {
            "case": [f"zqcase{i:03d}x" for i in range(N_ROWS)],
            "text": told,
            "street": words("street", rng, 0.3),
            "doctor": words("doctor", rng, 0.2, doctors),
            "income": np.round(number, 2),
            "claims": few,
            "opened": moment.strftime("%Y-%m-%d %H:%M:%S"),
            "closed": later.strftime("%d.%m.%Y %H:%M:%S"),
            "assay": limit,
            "grade": nearly,
            "region": words("region", rng, 0.1),
            "old": np.round(LARGE + 8e6 * rng.random(N_ROWS), 2),
            "kept": [f"zqkept{i:03d}x" for i in range(N_ROWS)],
        }
    )
    risk = 2 * (frame["street"] == "north") + number / 2e6 + few.clip(max=3) + rng.logistic(size=N_ROWS)
    late = np.where(risk > np.quantile(risk, 0.6), "yes", "no").astype(object)
    late[[7, 301]] = ["zqlate007x", "zqlate301x"]
    return frame.assign(late=late)


class Marks:
    """The marks of a table, and what is found of them in text and bytes."""

    def __init__(self, frame, model=None):
        self.words = re.compile(r"zq[a-z]+\d{3}x")
        numbers = [pd.to_numeric(frame[name], errors="coerce") for name in ("income", "old")]
        numbers += [frame["claims"][frame["claims"] >= LARGE]]
        numbers += [frame["assay"].str.strip("<>").astype(float)]
        days = [pd.to_datetime(frame["opened"]), pd.to_datetime(frame["closed"], format="%d.%m.%Y %H:%M:%S")]
        self.days = {moment.normalize() for column in days for moment in column}
        numbers += [column.astype("datetime64[s]").astype("int64") for column in days]
        numbers += [(days[1] - days[0]).dt.total_seconds() / 86400]
        self.numbers = np.unique(np.concatenate([column.dropna().to_numpy(dtype=float) for column in numbers]))
        self.encoded = np.zeros(0)
        if model is not None:
            self.encoded = self._encoded(frame, model)

    def _encoded(self, frame, model):
        """What the cells become, of which the cell could be told again; what five rows share is no mark."""
        from podium.tables import to_table

        X = model.encoder.encode(to_table(frame.astype(str), known=model.known).frame)
        found = []
        for column, out in model.encoder.parts(X):
            if column.name not in ("street", "doctor", "region", "text"):
                values, counts = np.unique(out[:, 0], return_counts=True)
                found.append(values[counts < 5])
        return np.unique(np.concatenate(found))

    def in_text(self, text, besides=()):
        found = {word for word in self.words.findall(text) if not word.startswith(tuple(f"zq{b}" for b in besides))}
        for token in set(re.findall(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+)?", text)):
            digits = re.sub(r"e.*|\D", "", token).lstrip("0")
            value = float(token.replace(",", "").rstrip(".") or 0)
            if len(digits) >= 6 and self._near(self.numbers, value, len(digits)):
                found.add(token)
            if len(digits) >= 9 and (self._near(self.encoded, value, 9) or self._near(-self.encoded, value, 9)):
                found.add(f"encoded {token}")
        found |= {day for day in re.findall(r"\d{4}-\d\d-\d\d", text) if pd.Timestamp(day) in self.days}
        named = re.findall(r"\d{1,2} [A-Z][a-z]+ (?:19|20)\d\d", text)
        return found | {day for day in named if pd.to_datetime(day, errors="coerce") in self.days}

    @staticmethod
    def _near(known, value, digits):
        return bool((np.abs(known - value) <= 10.0 ** -(digits - 0.7) * np.abs(known)).any()) if value else False

    def in_bytes(self, content):
        found = self.in_text(content.decode("utf-8", errors="replace"))
        encoded = self.encoded[np.abs(self.encoded) > 1e-6]
        # In megabytes of numbers a few short marks are hit by chance: those far out of single precision, and moments
        # in seconds, are long enough.
        singles = encoded[np.abs(encoded) > 4]
        whole = self.numbers[np.abs(self.numbers) > 1e9]
        for values, kind in ((self.numbers, "<f8"), (whole, "<i8"), (encoded, "<f8"), (singles, "<f4")):
            found |= {f"{kind} {v!r}" for v in values.astype(kind).tolist() if np.array(v, kind).tobytes() in content}
        return found


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("marked") / "cases.csv"
    marked_table().to_csv(path, index=False)
    return path


def report_leaks(found):
    return {name: sorted(marks)[:5] for name, marks in found.items() if marks}


def fitted(podium, table, model, out, *more):
    told = podium(
        *("fit", table, "--label", "late", "--positive", "yes", "--id", "case", "--exclude", "kept"),
        *("--baseline", "old", "--budget", 40, "--model", model, "--out", out, *more),
    )
    assert told.code == 0, told.err
    return told


def leaks_of_fit(told, out, frame):
    marks = Marks(frame, persist.load(out / "model.podium"))
    found = {name: marks.in_text((out / name).read_text()) for name in ("report.html", "report.md", "metrics.json")}
    found["scores.csv"] = marks.in_text((out / "scores.csv").read_text(), besides=("case",))
    found["model.podium"] = marks.in_bytes((out / "model.podium").read_bytes())
    return found | {"fit, printed": marks.in_text(told.out + told.err)}


@pytest.mark.parametrize("model", ["linear", "trees", "ranking-tree"])
def test_no_mark_in_what_fit_writes_and_says(model, podium, table, tmp_path):
    told = fitted(podium, table, model, tmp_path / "out", "--slices", "region")
    assert report_leaks(leaks_of_fit(told, tmp_path / "out", marked_table())) == {}


@pytest.mark.slow
@pytest.mark.parametrize("model", ["linear-quantile", "quadratic", "boosted", "ranking-forest", "stack"])
def test_no_mark_with_any_other_model(model, podium, table, tmp_path):
    told = fitted(podium, table, model, tmp_path / "out", "--time-limit", 5)
    assert report_leaks(leaks_of_fit(told, tmp_path / "out", marked_table())) == {}


@pytest.mark.parametrize("more", [("--time", "opened"), ("--group", "street"), ("--weight", "old")], ids=str)
def test_no_mark_where_a_column_says_how_rows_belong_together(more, podium, table, tmp_path):
    told = fitted(podium, table, "linear", tmp_path / "out", *more)
    assert report_leaks(leaks_of_fit(told, tmp_path / "out", marked_table())) == {}


@pytest.fixture(scope="module")
def model(table):
    """A line that was fitted to the marked table."""
    from podium import workflow

    found = workflow.fit(
        str(table), label="late", positive="yes", id_column="case", exclude=["kept"], model="linear", budget=40
    )
    return found.save(table.parent / "fitted")[0]


def test_no_mark_in_a_list_but_the_names_of_its_rows_and_what_it_keeps(podium, table, model, tmp_path):
    out = tmp_path / "list.csv"
    told = podium("score", model, table, "--top", 50, "--keep", "kept", "--explore", 5, "--out", out)
    marks = Marks(marked_table(), persist.load(model))
    own = ("case", "kept")
    assert marks.in_text(out.read_text(), own) | marks.in_text(out.with_suffix(".html").read_text(), own) == set()
    assert marks.in_text(told.out + told.err) == set()
    assert marks.in_text(out.read_text()) != set()


def test_a_reason_quotes_no_free_text(podium, table, model):
    told = podium("score", model, table, "--top", 400, "--reasons", 12)
    assert "text (" in told.out
    assert "zqtext" not in told.out + told.err


def test_no_mark_in_a_shortlist_but_the_names_of_its_rows(podium, table, model):
    told = podium("shortlist", model, table, "--recall", 0.5, "--calibration", table)  # refused: rows of the training
    assert told.code == 2
    told = podium("shortlist", model, table, "--recall", 0.5)
    marks = Marks(marked_table(), persist.load(model))
    assert marks.in_text(told.out, ("case",)) | marks.in_text(told.err) == set()


def test_no_mark_in_a_monitor(podium, table, model, tmp_path):
    other = tmp_path / "march.csv"
    marked_table(seed=1).assign(case=[f"zqcase{i:03d}x" for i in range(500, 900)]).to_csv(other, index=False)
    state = tmp_path / "state.json"
    told = podium("monitor", model, other, "--state", state, "--reference", table)
    assert told.code == 0, told.err
    for frame in (marked_table(), marked_table(seed=1)):
        marks = Marks(frame, persist.load(model))
        found = (marks.in_text(text) for text in (told.out + told.err, state.read_text()))
        assert set().union(*found, marks.in_text(state.with_suffix(".html").read_text())) == set()


def test_no_mark_in_an_export(podium, table, tmp_path):
    told = podium(
        *("fit", table, "--label", "late", "--positive", "yes", "--id", "case", "--model", "linear"),
        *("--exclude", "kept", "--exclude", "text", "--out", tmp_path),
    )
    assert told.code == 0, told.err
    model = tmp_path / "model.podium"
    marks = Marks(marked_table(), persist.load(model))
    statement = podium("export", model, "--sql")
    assert statement.code == 0, statement.err
    assert marks.in_text(statement.out) == set()
    pytest.importorskip("onnx")
    assert podium("export", model, "--onnx", tmp_path / "m.onnx").code == 0
    assert marks.in_bytes((tmp_path / "m.onnx").read_bytes()) == set()


def test_an_explanation_has_the_values_of_its_row_and_of_no_other(podium, table, model):
    told = podium("explain", model, table, "--row", "zqcase007x")
    marks, own = Marks(marked_table(), persist.load(model)), Marks(marked_table().iloc[[7]])
    assert marks.in_text(told.out + told.err) - own.in_text(told.out) == set()


def test_no_mark_where_scores_are_judged_or_rows_planned(podium, table, model, tmp_path):
    scored = tmp_path / "scored.csv"
    frame = marked_table()
    frame.assign(new=frame["income"] / 3 + frame["old"] / 7).to_csv(scored, index=False)
    marks = Marks(frame, persist.load(model))
    label = ("--label", "late", "--positive", "yes")
    for run in (
        podium("evaluate", scored, *label, "--score", "new", "--budget", 40),
        podium("compare", scored, *label, "--score", "new", "--score", "old"),
        podium("test", scored, *label, "--column", "income"),
        podium("plan", model, table, "--top", 30, "--out", tmp_path / "plan.html"),
    ):
        assert run.code == 0, run.err
        assert marks.in_text(run.out + run.err) == set()
    assert marks.in_text((tmp_path / "plan.html").read_text()) == set()
