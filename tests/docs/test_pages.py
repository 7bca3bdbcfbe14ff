"""Every page: its code runs, what it refers to exists, its pictures have words, and it is short."""

import re
import runpy
import warnings
from functools import reduce
from importlib import import_module
from urllib.parse import urlsplit

import pytest

import podium
from docs.pages import DOCS, PAGES, ROOT, blocks, each, run_python
from podium.cli.commands import SUMMARIES

MARKDOWN = [*ROOT.glob("*.md"), *ROOT.glob(".github/**/*.md"), *sorted(DOCS.glob("*.md"))]
LARGEST = 80_000  # bytes; the page as HTML is held to the same by docs/site_checks.py
WIDEST = 88  # characters that a line of code has on a screen 1,280 pixels wide; commands wrap
# Run elsewhere: the newcomer's path in its own folder, a page that shows what it prints; examples of a cluster where
# one is set up.
ELSEWHERE = ("getting_started", "used_list")
NEEDS = {
    "coming_from": ("dask.array", "lightgbm"),
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
        if page.stem == "guide_scale":
            warnings.filterwarnings("ignore", message="Port .* is already in use")  # another cluster on this machine
        assert run_python(page) > 0


@each(PAGES)
def test_all_code_of_a_page_is_of_a_kind_that_is_run(page):
    """Python and commands are run; files that are included are run by tests of their own."""
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"^ *\.\. (?:code|code-block|sourcecode|parsed-literal)::(.*)$", text, re.MULTILINE)) <= {
        " python",
        " console",
    }
    assert re.findall(r"^(?! *\.\. ).*::$", text, re.MULTILINE) == []
    for included in re.findall(r"^\.\. literalinclude:: (\S+)", text, re.MULTILINE):
        assert re.match(r"examples_extending/|recipes/with_|\.\./(?:src|examples|tests)/|\.\./pyproject.toml", included)


@each(sorted(DOCS.glob("*.md")))
def test_pages_in_markdown_have_no_code(page):
    assert re.findall(r"^```(?!\{|$)", page.read_text(encoding="utf-8"), re.MULTILINE) == []


@each(PAGES)
def test_lines_of_python_are_shown_whole(page):
    long = [line for kind, text in blocks(page) if kind == "python" for line in text.splitlines() if len(line) > WIDEST]
    assert long == []


def test_the_example_of_a_report_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "report.py"), run_name="__main__")
    assert (tmp_path / "report.html").is_file()


@each(PAGES)
def test_what_a_page_refers_to_exists(page):
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r":(?:class|func|meth|mod|attr):`(?:[^`<]*<)?~?(podium[\w.]*)>?`", text):
        root, _, rest = name.partition(".")
        reduce(getattr, rest.split(".") if rest else [], import_module(root))
    for target in re.findall(r":doc:`(?:[^`<]*<)?([^`>]+)>?`", text):
        place = DOCS / target[1:] if target.startswith("/") else page.parent / target
        if place.parent.name == "gallery" and place.name != "index":
            place = ROOT / "examples" / "gallery" / place.name
        assert any(place.with_name(place.name + end).is_file() for end in (".rst", ".md", ".py")) or target.endswith(
            "gallery/index"
        ), target
    for target in re.findall(r":download:`(?:[^`<]*<)?([^`>]+)>?`", text):
        assert (page.parent / target).is_file(), target


@each(PAGES)
def test_every_picture_of_a_page_is_there_and_has_words(page):
    for target, options in re.findall(
        r"^\.\. (?:image|figure):: (\S+)\n((?:   .*\n)*)", page.read_text(encoding="utf-8"), re.M
    ):
        assert (page.parent / target).is_file()
        words = re.search(r":alt: (.+)", options)
        assert words is not None, f"{page.name}: {target}"
        assert len(words[1]) > 20


@each([*PAGES, *DOCS.glob("*.md")])
def test_no_page_is_long(page):
    included = re.findall(r"^(?:   :file:|\.\. include::) (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert sum(part.stat().st_size for part in (page, *(page.parent / name for name in included))) <= LARGEST


@each(PAGES)
def test_links_to_other_sites_are_complete_addresses(page):
    """They cannot be fetched here; an issue at least has the number that its words say."""
    for words, target in re.findall(r"`([^`<]+) <(\w+://[^>]+)>`_", page.read_text(encoding="utf-8")):
        address = urlsplit(target)
        assert address.scheme == "https"
        assert re.fullmatch(r"[\w.-]+\.\w+", address.netloc)
        assert address.path.strip("/")
        if "/issues/" in target:
            assert words == f"#{target.rpartition('/')[2]}"


@each(MARKDOWN)
def test_links_and_pictures_in_markdown_exist(page):
    text = page.read_text(encoding="utf-8")
    for mark, words, target in re.findall(r"(!?)\[([^\]]*)\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert len(words) > (20 if mark else 0), target
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_a_newcomer_sees_a_short_menu():
    menu = re.findall(r"^   (?:[\w ]+ <)?([\w/]+)>?$", (DOCS / "index.rst").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(menu) <= 25
    assert not [name for name in menu if name.startswith(("coverage_", "quality", "reproduction"))]  # behind one entry


def test_the_page_of_the_command_has_a_row_for_each_command():
    page = (DOCS / "command_line.rst").read_text(encoding="utf-8")
    assert set(re.findall(r"^   \* - `+podium (\w+)", page, re.MULTILINE)) == set(SUMMARIES)


def test_the_index_for_machines_has_every_page_of_the_site():
    text = (DOCS / "llms.txt").read_text(encoding="utf-8")
    listed = re.findall(r"\]\(([\w/]+)\.html\)", text)
    in_the_side = re.findall(
        r"^   (?:[\w ]+ <)?([\w/]+)>?$", (DOCS / "index.rst").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(in_the_side) <= {*listed, "coming_from"}
    written = [name for name in listed if name != "gallery/index"]  # which is built
    assert [name for name in written if not any((DOCS / f"{name}{end}").is_file() for end in (".rst", ".md"))] == []


def test_the_tree_of_choices_is_what_its_script_draws_and_leads_to_sections():
    script = runpy.run_path(str(DOCS / "decision_tree.py"))
    assert (DOCS / "decision_tree.svg").read_text(encoding="utf-8") == script["drawing"]()
    page = (DOCS / "how_to_choose.rst").read_text(encoding="utf-8")
    titles = re.findall(r"^(.+)\n-+$", page, re.MULTILINE)
    sections = {"-".join(re.findall(r"\w+", title.lower())) for title in titles}
    answers = [answer for each in script["TREE"].values() for answer in each]
    assert {section for *_, section in answers} - sections == {""}
    for name in re.findall(r"\b(?:inference|shortlist|phi|rounds)\.\w+", " ".join(use for _, use, _ in answers)):
        reduce(getattr, name.split("."), podium)


def test_the_version_is_written_once():
    assert re.fullmatch(r"\d+\.\d+\.\d+", podium.__version__)
    assert f"## {podium.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {podium.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
