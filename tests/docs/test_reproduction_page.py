"""The page on the papers: written from the records, and the one in the documentation is up to date."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from podium.experiments import EXPERIMENTS, reproduce
from podium.experiments.errata import ERRATA, NOT_ERRORS, PAPERS
from podium.experiments.page import (
    LONGEST,
    ROWS,
    SUBJECTS,
    WIDEST,
    cell,
    comparison,
    main,
    page,
    parts,
    read_records,
    text,
)

DOCS = Path(__file__).parents[2] / "docs"


def record(name, source, **more):
    plain = {
        "title": "A title",
        "quick": False,
        "seed": 0,
        "versions": {"podium": "1.2.3"},
        "verdict": "agrees",
        "claims": [{"says": "a", "setting": "", "found": "holds", "share": None}],
        "sentence": "All agree.",
        "errata": [],
        "paper": {"a": 1.5},
        "ours": {"a": 1.5, "b": 2},
    }
    return {"name": name, "source": source} | plain | more


def test_the_page_of_the_documentation_is_that_of_its_records():
    written = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("reproduction*.md")}
    assert written == parts(page(read_records(DOCS / "reproduction"), "reproduction"), "reproduction")


def test_subjects_name_experiments_and_leave_none_of_their_paper_out():
    named = [name for names in SUBJECTS.values() for name in names]
    assert sorted(named) == sorted(name for name in EXPERIMENTS if name.startswith(("clv21", "r09")))
    for heading, names in SUBJECTS.items():
        assert {name.partition("-")[0] for name in names} == {heading.partition(":")[0].lower()}


def test_pages_are_cut_by_subject_link_to_each_other_and_lose_nothing():
    whole = page(read_records(DOCS / "reproduction"), "reproduction")
    files = parts(whole, "reproduction")
    assert "reproduction_clv21_location_models.md" in files
    for lines in (r"^!\[.*", r"^\| .*", r"^\*.*"):  # pictures, tables, verdicts
        kept = [
            re.sub(r"\([\w.]*#", "(#", line)
            for text in files.values()
            for line in re.findall(lines, text, re.MULTILINE)
        ]
        assert kept == re.findall(lines, whole, re.MULTILINE)
    for part in files.values():
        assert len(re.findall(r"^# ", part, re.MULTILINE)) == 1
        for file, section in re.findall(r"\]\(([\w.]+\.md)#([^)]+)\)", part):
            assert re.search(rf"^##+ {re.escape(section)}$", files[file], re.MULTILINE)


def test_what_the_page_of_the_documentation_refers_to_is_there():
    written = page(read_records(DOCS / "reproduction"), "reproduction")
    files = set(re.findall(r"\]\((reproduction/[^)]+)\)", written))
    assert [name for name in files if not (DOCS / name).is_file()] == []
    assert {Path(name).stem for name in files} == {r["name"] for r in read_records(DOCS / "reproduction")}
    sections = set(re.findall(r"^### (.+)$", written, re.MULTILINE))
    assert set(re.findall(r"\]\(#([^)]+)\)", written)) <= sections


def test_verdicts_and_claims_are_counted_and_seed_and_versions_named():
    fails = {"says": "It rises.", "setting": "one", "found": "fails", "share": 0.01}
    settings = [fails, fails | {"setting": "two", "found": "open", "share": 0.5}]
    written = page(
        [
            record("r09-table1", "R09, Table 1"),
            record("r09-table2", "R09, Table 2", verdict="differs", claims=settings),
            record("a05-fig1", "A05, Figure 1", quick=True),
        ],
        "pictures",
    )
    assert "| agrees | 2 | 2 of 2 hold |\n| differs | 1 | 0 of 2 hold, 1 fails, 1 open |\n| in all | 3 |" in written
    assert "Seed 0; podium 1.2.3." in written
    assert "| [a05-fig1](#a05-fig1) | A05, Figure 1 | A title | agrees (quick run) | 1 of 1 holds |" in written
    assert "*Differs: 0 of 2 hold, 1 fails, 1 open.*" in written
    assert "| the paper says | one | two |" in written
    assert "| It rises. | fails (in 1% of resamples) | open (in 50% of resamples) |" in written
    assert written.index("## R09") < written.index("### r09-table2") < written.index("## A05")
    assert "## CLV21" not in written


def test_the_counts_of_the_page_are_those_of_the_records():
    lines = (DOCS / "reproduction.md").read_text(encoding="utf-8").splitlines()
    total = Counter()
    for path in (DOCS / "reproduction").glob("*.json"):
        kept = json.loads(path.read_text(encoding="utf-8"))
        found = Counter(claim["found"] for claim in kept["claims"])
        total += found
        (line,) = (line for line in lines if line.startswith(f"| [{kept['name']}]"))
        assert f"| {kept['verdict']} |" in line
        assert numbers_of(line.split("|")[-2]) == found
        decided = found["holds"] + found["fails"]
        assert not (kept["verdict"].startswith("agrees") and 2 * found["holds"] < decided)
    (line,) = (line for line in lines if line.startswith("| in all |"))
    assert numbers_of(line.split("|")[-2]) == total
    assert sum(total.values()) > 200


def numbers_of(words):
    """ "2 of 18 hold, 7 fail, 9 open" as counts; those of none are left out."""
    if words.strip() == "–":
        return Counter()
    held, n = map(int, re.match(r" (\d+) of (\d+) hold", words).groups())
    others = {word: re.search(rf"(\d+) {word}", words) for word in ("fail", "open")}
    failed, left_open = (int(match[1]) if match else 0 for match in others.values())
    assert held + failed + left_open == n
    return Counter({"holds": held, "fails": failed, "open": left_open}) - Counter()


def test_paper_and_ours_stand_side_by_side_and_long_tables_are_cut():
    many = {f"k{i}": i for i in range(ROWS + 5)}
    written = page([record("a", "A05, 1"), record("b", "A05, 2", paper=many, ours=many)], "pictures")
    assert "![A title](pictures/a.png)" in written
    assert "| a | 1.5 | 1.5 |\n| b |  | 2 |" in written
    assert f"| k{ROWS - 1} |" in written
    assert f"| k{ROWS} |" not in written
    assert "5 more are in [b.json](pictures/b.json)" in written


def test_pictures_are_described_for_those_who_do_not_see_them():
    records = [record(name, experiment.source) for name, experiment in EXPERIMENTS.items()]
    written = page([each | {"svg": True} for each in records], "pictures")
    described = re.findall(r"!\[A title\. (.+)\]\(pictures/(.+)\.png\)", written)
    assert {name for words, name in described if len(words.split()) >= 12} == set(EXPERIMENTS)
    assert set(re.findall(r"\]\(pictures/(.+)\.svg\)", written)) == set(EXPERIMENTS)
    assert "svg" not in page(records, "pictures")


def test_names_that_make_a_grid_become_one():
    paper = {f"{measure}, p = {p}": measure * 10 + p for measure in (1, 2, 3, 4) for p in (1, 2, 4)}
    ours = {key: value + 0.5 for key, value in paper.items()} | {"1, p = 1, spread": 0.1}
    words, grid, rest = comparison(paper, ours, "a.json")
    assert words == "Paper / ours:\n"
    assert grid.splitlines()[0] == "|  | p = 1 | p = 2 | p = 4 |"
    assert grid.splitlines()[3] == "| 2 | 21 / 21.5 | 22 / 22.5 | 24 / 24.5 |"
    assert rest.splitlines()[2:] == ["| 1, p = 1, spread |  | 0.1 |"]
    many = ours | {f"more {i}": i for i in range(ROWS + 1)}
    assert list(comparison(paper, many, "x/a.json"))[2:] == [f"{ROWS + 2} more are in [a.json](x/a.json).\n"]
    turned = {", ".join(reversed(key.split(", "))): value for key, value in paper.items()}
    assert list(comparison(turned, turned, ""))[1].splitlines()[0] == "|  | p = 1 | p = 2 | p = 4 |"


def test_names_that_make_no_grid_or_too_wide_a_one_are_listed():
    gap = {f"{r}, {c}": 0 for r in "abc" for c in "xyz" if r + c != "cz"}
    wide = {f"{r}, {c}": 0 for r in range(WIDEST + 1) for c in range(20)}
    for paper in (gap, wide):
        assert next(comparison(paper, paper, "a.json")).startswith("|  | paper | ours |")


def test_an_error_that_shows_twice_is_listed_once_and_with_both_places():
    error = "Half the scores."
    written = page([record(name, "R09, x", errata=[error]) for name in ("one", "two")], ".")
    errors = written[written.index("## Errors") :]
    assert errors.count(error) == 1
    assert f"- {error} ([one](#one), [two](#two))" in errors


def test_errors_that_show_in_no_experiment_are_listed_for_every_paper():
    written = page([], ".")
    assert set(ERRATA) == set(NOT_ERRORS) == set(PAPERS)
    for key, errata in ERRATA.items():
        assert f"### Errors in {key}" in written
        assert all(text(erratum.sentence()) in written for erratum in errata)
        assert all(text(remark) in written for remark in NOT_ERRORS[key])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (17160.1749, "17,160.17"),
        (0.000012345, "1.2345e-05"),
        (2.5e15, "2.5e+15"),
        (3406.0, "3,406"),
        (True, "True"),
        ("a|b", "a\\|b"),
        ({"low": 0.5, "high": None}, "low: 0.5, high: –"),
        (list(range(LONGEST)), "0, 1, 2, 3, 4, 5"),
        (list(range(50)), "0, 1, 2, 3, 4, 5, … (50 in all)"),
    ],
)
def test_values_fit_into_cells(value, shown):
    assert cell(value) == shown


def test_the_page_is_written_from_a_folder(tmp_path):
    reproduce(EXPERIMENTS["r09-table1"], tmp_path / "results")
    (tmp_path / "results" / "unknown.json").write_text("{}")
    main(str(tmp_path / "results"), str(tmp_path / "page.md"))
    assert "page_r09_prices_discounts_and_bounds.md#r09-table1" in (tmp_path / "page.md").read_text()
    written = (tmp_path / "page_r09_prices_discounts_and_bounds.md").read_text()
    assert "](results/r09-table1.png)" in written
    assert json.loads((tmp_path / "results" / "r09-table1.json").read_text())["sentence"] in written


def test_the_readme_counts_the_claims_as_the_page_does():
    counts = re.search(
        r"in all \| \d+ \| (\d+) of (\d+) hold, (\d+) fail, (\d+) open", (DOCS / "reproduction.md").read_text()
    )
    readme = " ".join((DOCS.parent / "README.md").read_text().split())
    assert "{} of {} hold, {} fail, {} are open".format(*counts.groups()) in readme
