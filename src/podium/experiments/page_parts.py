"""The page on the papers as several short ones: one for each paper, more where it has many experiments."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST_PART = 20_000  # bytes of Markdown; as HTML it is about twice as long


def parts(page: str, stem: str) -> dict[str, str]:
    """Files by name: the first keeps introduction and summary and leads to the others."""
    first, *chapters = _apart(page, "## ")
    if chapters and chapters[0].startswith("## Summary"):
        first += chapters.pop(0)
    files = {f"{stem}.md": first}
    for chapter in chapters:
        for number, part in enumerate(_short_ones(chapter)):
            name = re.sub(r"\W+", "_", part.partition("\n")[0].lower()).strip("_")
            files[f"{stem}_{name}.md"] = re.sub(r"^##", "#", part, flags=re.MULTILINE) if number == 0 else part
    home = {section: file for file, text in files.items() for section in re.findall(r"^##+ (.+)$", text, re.MULTILINE)}
    for file, text in files.items():
        files[file] = re.sub(r"\]\(#([^)]+)\)", lambda link: f"]({home[link[1]]}#{link[1]})", text)
    files[f"{stem}.md"] += _contents(list(files)[1:], files)
    return files


def _apart(text: str, mark: str) -> list[str]:
    return re.split(rf"^(?={mark})", text, flags=re.MULTILINE)


def _short_ones(chapter: str) -> Iterator[str]:
    """A chapter, or its experiments on as many pages as are needed, each but the first with a title of its own."""
    head, *sections = _apart(chapter, "### ")
    title, text, number = head.partition("\n")[0].removeprefix("## "), head, 1
    for section in sections:
        if len((text + section).encode()) > LONGEST_PART:
            yield text
            number += 1
            text = f"# {title}, part {number}\n\n"
            section = re.sub(r"^###", "##", section)
        elif number > 1:
            section = re.sub(r"^###", "##", section)
        text += section
    yield text


def _contents(names: list[str], files: dict[str, str]) -> str:
    titles = [files[name].partition("\n")[0].removeprefix("# ") for name in names]
    listed = "".join(f"- [{title}]({name})\n" for title, name in zip(titles, names, strict=True))
    stems = "\n".join(name.removesuffix(".md") for name in names)
    return f"\n## Pages\n\n{listed}\n```{{toctree}}\n:hidden:\n\n{stems}\n```\n"
