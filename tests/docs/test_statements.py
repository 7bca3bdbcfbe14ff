"""The table of every numbered statement: none is missing, names and tests exist, verdicts are the recorded ones."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from functools import reduce
from pathlib import Path

import pytest

import podium
import podium.experiments.errata
from docs.pages import each
from podium.experiments import EXPERIMENTS
from podium.experiments.errata import ERRATA

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAPERS = ("CLV21", "R09", "A05", "CV08")
OF_RECORDS = ("agrees", "agrees in part", "differs", "undecided")
VERDICTS = (*OF_RECORDS, "holds", "misprint", "wrong", "no number")

# What the papers number, read off them once: by kind, with the first and the last number of each run.
NUMBERED = {
    "CLV21": "Definition 1–2 11–13; Lemma 3 10 14–20 22–23 25–28; Proposition 4 6 8–9 21; Theorem 5 24; Corollary 7; "
    "Remark 1–4; Assumption 1–5; Algorithm 1; Figure 1–16; Equation 2.1–2.11 3.1–3.10 4.1–4.12 5.1–5.2 "
    "A.1–A.5 B.1–B.74",
    "R09": "Theorem 1–4 8 10; Lemma 5–7 9 11–13; Table 1–5; Figure 1–8; Equation 1–13",
    "A05": "Definition 2.1 3.2 4.1–4.2 4.7–4.8; Lemma 2.2 4.10 4.12; Theorem 3.1 3.3 3.6–3.8 3.11 4.3–4.4 4.6 4.9 4.11 "
    "4.13–4.14 A.1; Corollary 3.4–3.5 3.9–3.10 4.5; Table 1–2; Figure 1–4; Equation 1–30",
    "CV08": "Definition 1 4; Lemma 2 6; Proposition 3 5 7; Theorem 8; Remark 1–4",
}


def run(first, last):
    """The numbers from one to another, both with the chapter: 2.6, 2.7, 2.8."""
    chapter, number = re.fullmatch(r"((?:\w\.)?)(\d+)", first).groups()
    return [f"{chapter}{i}" for i in range(int(number), int(last.removeprefix(chapter)) + 1)]


def labels(text):
    """The statements that a list such as "Lemmas 26, 28, (A.1)–(A.3)" names."""
    kind, named = "", []
    for part in re.split(r", | and ", text):
        if word := re.match(r"[A-Z][a-z]{3,}", part):
            kind = {"Corollaries": "Corollary"}.get(word[0], word[0].removesuffix("s"))
        of = "Equation" if re.search(r"\([A-C\d]", part) else kind  # "3(a)" is a line of a figure
        if of and (ends := re.findall(r"(?:\b[A-C2-5]\.)?\b\d+\b(?!\()", part)):
            named += [(of, number) for number in run(ends[0], ends[-1])]
    return named


def numbered(paper):
    wanted = []
    for group in NUMBERED[paper].split("; "):
        kind, *runs = group.split()
        wanted += [(kind, number) for ends in runs for number in run(*(ends.split("–") * 2)[:2])]
    return wanted


def rows(paper):
    with open(DOCS / "statements" / f"{paper.lower()}.csv", newline="", encoding="utf-8") as file:
        return [[cell.strip() for cell in row] for row in csv.reader(file, delimiter="|")]


ROWS = [(paper, *row) for paper in (*PAPERS, "passing") for row in rows(paper)]


def record(name):
    return json.loads((DOCS / "reproduction" / f"{name}.json").read_text())


@pytest.mark.parametrize("paper", PAPERS)
def test_every_numbered_statement_has_its_row_and_none_has_two(paper):
    listed = Counter(label for row in rows(paper) for label in labels(row[0]))
    assert listed == Counter(numbered(paper))


def test_runs_and_lists_of_statements_are_read_as_they_are_meant():
    assert labels("Lemmas 26, 28, (A.1)–(A.3)") == [
        *(("Lemma", n) for n in ("26", "28")),
        *(("Equation", n) for n in ("A.1", "A.2", "A.3")),
    ]
    assert labels("Theorem 5 and Corollary 7") == [("Theorem", "5"), ("Corollary", "7")]
    assert labels("§5.2, scale model") == []


@each(ROWS)
def test_a_row_names_what_exists_and_its_verdict(paper, statement, says, verdict, name, test):
    word, _, reason = verdict.partition(": ")
    assert word in VERDICTS
    assert says
    if word == "no number":
        assert reason
        assert not name
        assert not test
        return
    if name.startswith("reproduce "):
        assert name.removeprefix("reproduce ") in EXPERIMENTS
    else:
        reduce(getattr, name.split("."), podium)
    path, _, function = test.partition("::")
    assert f"\ndef {function}(" in (ROOT / "tests" / path).read_text()


@each(ROWS)
def test_a_verdict_on_an_experiment_is_the_recorded_one(paper, statement, says, verdict, name, test):
    word = verdict.partition(": ")[0]
    shown = name.removeprefix("reproduce ")
    if word in OF_RECORDS:
        assert word == record(shown)["verdict"]
    else:
        assert not statement.startswith(("Figure", "Table")) or word in ("misprint", "wrong", "no number")


@each(ROWS)
def test_wrong_is_what_has_an_erratum(paper, statement, says, verdict, name, test):
    in_errata = {label: erratum.misprint for erratum in ERRATA.get(paper, ()) for label in labels(erratum.place)}
    own = set(labels(statement))
    word = verdict.partition(": ")[0]
    if word in ("misprint", "wrong"):
        assert any(in_errata[label] == (word == "misprint") for label in own & set(in_errata))
    if "wrong" in verdict or "misprint" in verdict:
        shown = name.startswith("reproduce ") and record(name.removeprefix("reproduce "))["errata"]
        assert shown or own & set(in_errata)
    else:
        assert not own & set(in_errata)


def test_the_inventory_is_whole():
    assert len(ROWS) == len({row[:2] for row in ROWS}) >= 188
