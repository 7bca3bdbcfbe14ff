"""What every page of the built site is held to: it is short, its links lead somewhere, its pictures have words."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

LARGEST = 80_000  # bytes of HTML; long tables are data to download


def faults(site: Path) -> list[str]:
    """What is wrong with the pages in a folder, a line for each fault."""
    pages = sorted(site.rglob("*.html"))
    checks = (_length, _links, _references, _pictures, _cells)
    return [fault for page in pages for check in checks for fault in check(page, site)]


def _length(page: Path, site: Path) -> list[str]:
    size = page.stat().st_size
    too_long = size > LARGEST and not page.name.startswith("genindex")
    return [f"{page.relative_to(site)}: {size:,} bytes, more than {LARGEST:,}"] if too_long else []


def _links(page: Path, site: Path) -> list[str]:
    found = []
    for link in re.findall(r'<a\b[^>]*?\bhref="([^"]*)"', _text(page)):
        address = urlsplit(unescape(link))
        if address.scheme in ("http", "https"):
            leads = address.scheme == "https" and "." in address.netloc
        else:
            target = (page.parent / unquote(address.path)).resolve() if address.path else page
            leads = target.is_file() and (not address.fragment or unquote(address.fragment) in _anchors(target))
        if not leads:
            found.append(f"{page.relative_to(site)}: the link {link} leads nowhere")
    return found


def _references(page: Path, site: Path) -> list[str]:
    """Names on the pages of the guide lead to the reference; docstrings also name what is not public."""
    if "api" in page.relative_to(site).parts:
        return []
    names = re.findall(r'(<a\b[^>]*>)?<code class="xref py (?:[^"]*)"><span class="pre">([^<]*)', _text(page))
    return [f"{page.relative_to(site)}: {name} is on no page" for link, name in names if not link]


def _pictures(page: Path, site: Path) -> list[str]:
    pictures = re.findall(r"<img\b[^>]*>", _text(page))
    return [f"{page.relative_to(site)}: no words for {each}" for each in pictures if not re.search(r'\balt="', each)]


def _cells(page: Path, site: Path) -> list[str]:
    """A cell with nothing but "(4)" is read as the beginning of a numbered list."""
    return [f"{page.relative_to(site)}: a cell became a list"] * len(re.findall(r"<td>\s*<ol", _text(page)))


@cache
def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@cache
def _anchors(page: Path) -> frozenset[str]:
    return frozenset(map(unescape, re.findall(r'\b(?:id|name)="([^"]*)"', _text(page))))
