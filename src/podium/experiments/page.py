"""The page that shows every table and figure beside what the papers print, written from the records alone.

``python -m podium.experiments.page FOLDER PAGE`` reads FOLDER/NAME.json and writes PAGE and its parts beside it.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from podium.experiments import EXPERIMENTS
from podium.experiments.errata import ERRATA, NOT_ERRORS, PAPERS, SCRIPT
from podium.experiments.page_parts import parts
from podium.experiments.page_tables import comparison, table
from podium.experiments.page_values import text

Record = Mapping[str, Any]
INTRODUCTION = """\
# The papers, reproduced

Every table and figure of the four papers, computed again by `podium reproduce`: what the paper prints, what comes out
here, and whether the two agree. *Undecided* stands where the noise of the trials leaves it open, *extends* where the
paper prints nothing to compare with. `make reproduction` runs all experiments and writes this page from their records.
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
    parts = [INTRODUCTION, *_summary(records)]
    for key, paper in PAPERS.items():
        of_paper = [record for record in records if _paper(record) == key]
        if of_paper:
            parts.append(f"## {key}\n\n{paper}.\n")
            parts += [part for record in of_paper for part in _section(record, pictures)]
    return "\n".join([*parts, *_errors(records)])


def _paper(record: Record) -> str:
    return str(record["source"]).partition(",")[0]


def _summary(records: Sequence[Record]) -> Iterator[str]:
    counts = Counter(record["verdict"] for record in records)
    yield "## Summary\n"
    yield table(("verdict", "experiments"), [*counts.most_common(), ("in all", len(records))])
    rows = [
        (
            f"[{record['name']}](#{record['name']})",
            text(record["source"]),
            text(record["title"]),
            record["verdict"] + (" (quick run)" if record["quick"] else ""),
        )
        for record in records
    ]
    yield table(("experiment", "where", "what it shows", "verdict"), rows)
    runs = {(record["seed"], tuple(record["versions"].items())) for record in records}
    for seed, versions in sorted(runs):
        yield f"Seed {seed}; {', '.join(f'{name} {version}' for name, version in versions)}.\n"


def _section(record: Record, pictures: str) -> Iterator[str]:
    name = record["name"]
    yield f"### {name}\n"
    yield f"**{text(record['title'])}** ({text(record['source'])}).\n"
    yield f"*{record['verdict'].capitalize()}.* {text(record['sentence'])}\n"
    if record["quick"]:
        yield "This is a quick run, with fewer and smaller trials than in the paper.\n"
    yield f"![{text(_seen(record))}]({pictures}/{name}.png)\n"
    if record.get("svg"):
        yield f"[The picture for print, as SVG]({pictures}/{name}.svg)\n"
    yield from comparison(record["paper"], record["ours"], f"{pictures}/{name}.json")
    if record["errata"]:
        yield "In the paper:\n"
        yield _list(text(error) for error in record["errata"])


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
