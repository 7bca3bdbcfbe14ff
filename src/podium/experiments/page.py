"""Pages about the reproduction, from its files."""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from podium.experiments import EXPERIMENTS
from podium.experiments.claims import Verdict, counted
from podium.experiments.errata import ERRATA, NOT_ERRORS, PAPERS, SCRIPT

# Values of a record as cells of a Markdown table.


LONGEST = 6  # entries of a list or mapping that a cell shows


def cell(value: Any) -> str:
    """A number, text, list or mapping, short enough for a table.

    >>> cell(130515.094), cell(0.1234567), cell(34586), cell([0.25, 1]), cell(None)
    ('130,515.09', '0.12346', '34,586', '0.25, 1', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, bool | str):
        return text(str(value))
    if isinstance(value, Mapping):
        return _several([f"{text(str(name))}: {cell(item)}" for name, item in value.items()])
    if isinstance(value, list | tuple):
        return _several([cell(item) for item in value])
    if isinstance(value, int):
        return f"{value:,}"
    if 1000 <= abs(value) < 1e6:
        return f"{value:,.2f}".removesuffix(".00")
    return f"{value:.5g}"


def text(words: str) -> str:
    """Words that Markdown must take literally."""
    for sign in "\\|*_<`[":
        words = words.replace(sign, f"\\{sign}")
    return words


def _several(cells: list[str]) -> str:
    shown = cells if len(cells) <= LONGEST else [*cells[:LONGEST], f"… ({len(cells)} in all)"]
    return ", ".join(shown)


# The page on the papers as several: the summary, then a page for each chapter.


def parts(page: str, stem: str) -> dict[str, str]:
    """Files by name: the first keeps introduction and summary and links to the others."""
    first, *chapters = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    if chapters and chapters[0].startswith("## Summary"):
        first += chapters.pop(0)
    files = {f"{stem}.md": first}
    for chapter in chapters:
        name = re.sub(r"\W+", "_", chapter.partition("\n")[0].lower()).strip("_")
        files[f"{stem}_{name}.md"] = re.sub(r"^##", "#", chapter, flags=re.MULTILINE)
    home = {section: file for file, text in files.items() for section in re.findall(r"^##+ (.+)$", text, re.MULTILINE)}
    for file, text in files.items():
        files[file] = re.sub(r"\]\(#([^)]+)\)", lambda link: f"]({home[link[1]]}#{link[1]})", text)
    files[f"{stem}.md"] += _contents(list(files)[1:], files)
    return files


def _contents(names: list[str], files: dict[str, str]) -> str:
    titles = [files[name].partition("\n")[0].removeprefix("# ") for name in names]
    listed = "".join(f"- [{title}]({name})\n" for title, name in zip(titles, names, strict=True))
    stems = "\n".join(name.removesuffix(".md") for name in names)
    return f"\n## Pages\n\n{listed}\n```{{toctree}}\n:hidden:\n\n{stems}\n```\n"


# What a paper prints beside what came out, as Markdown tables.


ROWS = 20  # of a table of single values; the others are in the record
WIDEST = 9  # columns of a grid


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def comparison(paper: Mapping[str, Any], ours: Mapping[str, Any], record: str) -> Iterator[str]:
    """Both under the same names; where these make a grid, such as measures by models, as one; cut where too long."""
    grid = _grid(paper)
    if grid is not None:
        names, columns = grid
        yield "Paper / ours:\n"
        yield table(
            ("", *map(text, columns)),
            [
                (text(name), *(f"{cell(paper[key])} / {cell(ours[key])}" for key in _keys(name, columns, paper)))
                for name in names
            ],
        )
    compared = () if grid is not None else tuple(paper)
    rows = [
        (text(key), cell(paper[key]) if key in paper else "", cell(ours[key]))
        for key in (*compared, *(key for key in ours if key not in paper))
    ]
    # Beside a grid a part of its details would say little.
    shown = len(rows) if len(rows) <= ROWS else ROWS if grid is None else 0
    if shown:
        yield table(("", "paper", "ours"), rows[:shown])
    if len(rows) > shown:
        yield f"{len(rows) - shown} more are in [{record.rpartition('/')[2]}]({record}).\n"


def _grid(paper: Mapping[str, Any]) -> tuple[list[str], list[str]] | None:
    """Rows and columns, if every name is "row, column" and every pair of them is there."""
    pairs = [(row, column) for row, _, column in (key.rpartition(", ") for key in paper)]
    rows, columns = (list(dict.fromkeys(names)) for names in ([r for r, _ in pairs], [c for _, c in pairs]))
    whole = len(rows) * len(columns) == len(pairs) and "" not in rows
    if not whole or min(len(rows), len(columns)) < 3:
        return None
    if len(columns) > len(rows):
        rows, columns = columns, rows
    return (rows, columns) if len(columns) <= WIDEST else None


def _keys(row: str, columns: Sequence[str], paper: Mapping[str, Any]) -> Iterator[str]:
    """The names of a row; the grid may have been turned."""
    for column in columns:
        yield f"{row}, {column}" if f"{row}, {column}" in paper else f"{column}, {row}"


# The page that shows every table and figure beside what the papers print, written from the records alone.
#
# ``python -m podium.experiments.page FOLDER PAGE`` reads FOLDER/NAME.json and writes PAGE and its parts beside it.


Record = Mapping[str, Any]

# A paper with many experiments has a chapter for each of its subjects.
SUBJECTS = {
    "CLV21: score-generating functions": ("clv21-fig1", "clv21-fig2", "clv21-fig3", "clv21-auc-star"),
    "CLV21: location models": ("clv21-loc2", "clv21-fig5", "clv21-fig6", "clv21-loc1", "clv21-loc3"),
    "CLV21: scale models": ("clv21-scale1", "clv21-fig8", "clv21-fig9", "clv21-scale2", "clv21-scale3"),
    "CLV21: limits, rates and bandwidth": ("clv21-fig10", "clv21-rates", "clv21-selection", "clv21-bandwidth"),
    "CLV21: top shares": ("clv21-fig15", "clv21-fig16"),
    "CLV21: what can be reproduced": ("clv21-instability",),
    "CLV21: the authors' script": ("clv21-ill-conditioned", "clv21-script-location", "clv21-script-scale"),
    "R09: prices, discounts and bounds": (
        *("r09-table1", "r09-table2", "r09-fig1", "r09-fig3"),
        *("r09-fig4", "r09-fig8", "r09-capacity", "r09-1d"),
    ),
    "R09: the pushes on data": ("r09-table3", "r09-table4", "r09-table5", "r09-fig5", "r09-fig6", "r09-fig7"),
}

INTRODUCTION = """\
# The papers, reproduced

Every table and figure of the four papers, computed again by `podium reproduce`: what the paper prints, what comes out
here, and how many of the claims of the paper hold. A claim is a printed number, or a sentence of the paper in one
setting: where a paper can be read in two ways, each is a setting, and each claim counts in both. It is *open* where the
noise of the trials leaves it so.

The verdict is that of the setting which comes out worst: *agrees* where all claims hold, *agrees in part* where at
least half of the decided ones do, *differs* where fewer do, *undecided* where all are open, and *extends* where the
paper says nothing to compare with. `make reproduction` runs all experiments and writes this page from their records.
"""


def read_records(folder: str | os.PathLike[str]) -> list[Record]:
    """The records of a folder, in the order of the papers."""
    found = [Path(folder) / f"{name}.json" for name in EXPERIMENTS]
    return [
        json.loads(path.read_text(encoding="utf-8")) | {"svg": path.with_suffix(".svg").exists()}
        for path in found
        if path.exists()
    ]


def page(records: Sequence[Record], pictures: str) -> str:
    """The page as Markdown; ``pictures`` is where they and the records are, as seen from it."""
    headings = {name: heading for heading, names in SUBJECTS.items() for name in names}
    chapters: dict[str, list[str]] = {}
    for record in records:
        paper = _paper(record)
        heading = headings.get(record["name"], paper)
        chapter = chapters.setdefault(heading, [f"## {heading}\n\n{PAPERS[paper]}.\n"])
        chapter += _section(record, pictures)
    body = (line for chapter in chapters.values() for line in chapter)
    return "\n".join([INTRODUCTION, *_summary(records), *body, *_errors(records)])


def _paper(record: Record) -> str:
    return str(record["source"]).partition(",")[0]


def _summary(records: Sequence[Record]) -> Iterator[str]:
    yield "## Summary\n"
    by_verdict = {word: [r for r in records if r["verdict"] == word] for word in get_args(Verdict)} | {
        "in all": records
    }
    yield table(
        ("verdict", "experiments", "claims"),
        [(word, len(some), counted(_found(some))) for word, some in by_verdict.items() if some],
    )
    rows = [
        (
            f"[{record['name']}](#{record['name']})",
            text(_where(record)),
            text(record["title"]),
            record["verdict"] + (" (quick run)" if record["quick"] else ""),
            counted(_found([record])),
        )
        for record in records
    ]
    yield table(("experiment", "where", "what it shows", "verdict", "claims"), rows)
    runs = {(record["seed"], tuple(record["versions"].items())) for record in records}
    for seed, versions in sorted(runs):
        yield f"Seed {seed}; {', '.join(f'{name} {version}' for name, version in versions)}.\n"


def _section(record: Record, pictures: str) -> Iterator[str]:
    name = record["name"]
    yield f"### {name}\n"
    claims = f": {counted(_found([record]))}" if record["claims"] else ""
    yield f"**{text(record['title'])}** ({text(_where(record))}).\n"
    yield f"*{record['verdict'].capitalize()}{claims}.* {text(record['sentence'])}\n"
    if record["quick"]:
        yield "This is a quick run, with fewer and smaller trials than in the paper.\n"
    yield f"![{text(_seen(record))}]({pictures}/{name}.png)\n"
    if record.get("svg"):
        yield f"[The picture for print, as SVG]({pictures}/{name}.svg)\n"
    yield from _ledger(record)
    yield from comparison(record["paper"], record["ours"], f"{pictures}/{name}.json")
    if record["errata"]:
        yield "In the paper:\n"
        yield _list(text(error) for error in record["errata"])


def _where(record: Record) -> str:
    experiment = EXPERIMENTS.get(record["name"])
    return experiment.where if experiment else str(record["source"])


def _found(records: Iterable[Record]) -> list[str]:
    """What came out of every claim of these records."""
    return [claim["found"] for record in records for claim in record["claims"]]


def _ledger(record: Record) -> Iterator[str]:
    """What the paper says in words, a column for each setting; printed numbers are compared below it."""
    said = [claim for claim in record["claims"] if claim["says"] not in record["paper"]]
    settings = list(dict.fromkeys(claim["setting"] for claim in said))
    found = {(claim["says"], claim["setting"]): claim for claim in said}
    if found:
        yield table(
            ("the paper says", *(text(setting) or "here" for setting in settings)),
            [
                (text(says), *(_in_words(found.get((says, setting))) for setting in settings))
                for says in dict.fromkeys(claim["says"] for claim in said)
            ],
        )


def _in_words(claim: Mapping[str, Any] | None) -> str:
    if claim is None:
        return "–"
    return claim["found"] + (f" (in {claim['share']:.0%} of resamples)" if claim["share"] is not None else "")


def _seen(record: Record) -> str:
    """What the picture shows, for those who do not see it: the last paragraph on how it is drawn."""
    experiment = EXPERIMENTS.get(record["name"])
    if experiment is None:
        return str(record["title"])
    drawn = (inspect.getdoc(experiment.draw) or "").split("\n\n")[-1].replace("\n", " ")
    return f"{record['title']}. {drawn}"


def _errors(records: Sequence[Record]) -> Iterator[str]:
    yield "## Errors found in the papers\n"
    for key in PAPERS:
        shown: dict[str, list[str]] = {}  # an error may show in several experiments
        for record in records:
            if _paper(record) == key:
                for error in record["errata"]:
                    shown.setdefault(error, []).append(f"[{record['name']}](#{record['name']})")
        errors = [f"{text(error)} ({', '.join(places)})" for error, places in shown.items()]
        yield f"### Errors in {key}\n"
        yield _list([*errors, *(text(erratum.sentence()) for erratum in ERRATA[key])])
        if NOT_ERRORS[key]:
            yield "No errors, though they look like it:\n"
            yield _list(text(remark) for remark in NOT_ERRORS[key])
        if key == "CLV21":
            yield f"The script that the authors published differs from the paper: {text('; '.join(SCRIPT))}.\n"


def _list(items: Iterable[str]) -> str:
    return "".join(f"- {item}\n" for item in items)


def main(folder: str, target: str) -> None:
    """Write the page of a folder, in parts beside each other, in place of those that are there."""
    place = Path(target)
    pictures = Path(os.path.relpath(folder, place.parent)).as_posix()
    for old in place.parent.glob(f"{place.stem}_*.md"):
        old.unlink()
    for name, text_of_part in parts(page(read_records(folder), pictures), place.stem).items():
        (place.parent / name).write_text(text_of_part, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
