"""Every page: its code runs, what it refers to exists, its pictures have words, and it is short."""

import re
import runpy
import warnings
from functools import reduce
from importlib import import_module
from urllib.parse import urlsplit

import pytest

import podium
from docs.pages import DOCS, PAGES, ROOT, blocks, run_python

MARKDOWN = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
LARGEST = 60_000  # bytes; the page as HTML is held to the same by docs/conf.py
# Run elsewhere: the newcomer's path in its own folder, examples of a cluster where one is set up.
ELSEWHERE = ("getting_started",)
NEEDS = {
    "networks": ("torch",),
    "guide_scale": ("dask.array",),
    "how_to_choose": ("dask.array", "lightgbm"),
    "serving": ("skops", "mlflow"),
    "boosting": ("catboost",),
}


def with_python():
    return [page for page in PAGES if page.stem not in ELSEWHERE and any(kind == "python" for kind, _ in blocks(page))]


@pytest.mark.parametrize("page", with_python(), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    for needed in NEEDS.get(page.stem, ()):
        pytest.importorskip(needed)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    with warnings.catch_warnings():
        if page.stem == "serving":
            warnings.simplefilter("ignore")  # MLflow's own, about itself
        assert run_python(page) > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_what_a_page_refers_to_exists(page):
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r":(?:class|func|meth|mod|attr):`~?(podium[\w.]*)`", text):
        root, _, rest = name.partition(".")
        reduce(getattr, rest.split(".") if rest else [], import_module(root))
    for target in re.findall(r":doc:`(?:[^`<]*<)?([^`>]+)>?`", text):
        place = DOCS / target[1:] if target.startswith("/") else page.parent / target
        assert any(place.with_name(place.name + end).is_file() for end in (".rst", ".md")) or "gallery" in target, (
            target
        )
    for target in re.findall(r":download:`(?:[^`<]*<)?([^`>]+)>?`", text):
        assert (page.parent / target).is_file(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_picture_of_a_page_is_there_and_has_words(page):
    for target, options in re.findall(
        r"^\.\. (?:image|figure):: (\S+)\n((?:   .*\n)*)", page.read_text(encoding="utf-8"), re.M
    ):
        assert (page.parent / target).is_file()
        words = re.search(r":alt: (.+)", options)
        assert words is not None, f"{page.name}: {target}"
        assert len(words[1]) > 20


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_no_page_is_long(page):
    included = re.findall(r"^   :file: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert sum(part.stat().st_size for part in (page, *(page.parent / name for name in included))) <= LARGEST


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_links_to_other_sites_are_complete_addresses(page):
    """They cannot be fetched here; an issue at least has the number that its words say."""
    for words, target in re.findall(r"`([^`<]+) <(\w+://[^>]+)>`_", page.read_text(encoding="utf-8")):
        address = urlsplit(target)
        assert address.scheme == "https"
        assert re.fullmatch(r"[\w.-]+\.\w+", address.netloc)
        assert address.path.strip("/")
        if "/issues/" in target:
            assert words == f"#{target.rpartition('/')[2]}"


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.name)
def test_links_and_pictures_in_markdown_exist(page):
    for words, target in re.findall(r"\[([^\]]*)\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert words
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_everything_in_the_index_for_machines_exists():
    listed = re.findall(r"\]\(([\w/]+)\.html\)", (DOCS / "llms.txt").read_text(encoding="utf-8"))
    assert len(listed) > 20
    assert [name for name in listed if not any((DOCS / f"{name}{end}").is_file() for end in (".rst", ".md"))] == []


def test_the_tree_of_choices_is_what_its_script_draws_and_leads_to_sections():
    script = runpy.run_path(str(DOCS / "decision_tree.py"))
    assert (DOCS / "decision_tree.svg").read_text(encoding="utf-8") == script["drawing"]()
    page = (DOCS / "how_to_choose.rst").read_text(encoding="utf-8")
    titles = re.findall(r"^(.+)\n-+$", page, re.MULTILINE)
    sections = {"-".join(re.findall(r"\w+", title.lower())) for title in titles}
    answers = [answer for each in script["TREE"].values() for answer in each]
    assert {section for *_, section in answers} - sections == {""}
    for name in re.findall(r"\b(?:inference|shortlist|phi|chunks)\.\w+", " ".join(use for _, use, _ in answers)):
        reduce(getattr, name.split("."), podium)


def test_the_version_is_written_once():
    assert re.fullmatch(r"\d+\.\d+\.\d+", podium.__version__)
    assert f"## {podium.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {podium.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
