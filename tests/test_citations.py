"""Papers by BibTeX: what docstrings name is in the bibliography, and objects bring what they rest on."""

import inspect
import re

import numpy as np
import pytest

import podium
from podium import inference, shortlist
from podium.citations import _bibliography
from podium.phi import EarlyRecognition


def keys(obj):
    return re.findall(r"^@\w+\{(\w+),", podium.cite(obj), re.MULTILINE)


@pytest.mark.parametrize(
    ("obj", "wanted"),
    [
        (None, []),
        (podium.BoostedRanker("push:4"), ["R09"]),
        (podium.LinearRanker("power:3"), ["CLV21"]),
        (podium.TreeRanker, ["clemencon2009", "clemencon2011"]),
        (podium.ForestRanker(), ["clemencon2013"]),
        (inference.compare, ["delong1988"]),
        (inference.venkatraman_test, ["venkatraman1996", "venkatraman2000"]),
        (inference.decision_curve, ["vickers2006"]),
        (shortlist.by_fdr, ["jin2023", "jin2025"]),
        (EarlyRecognition(20.0), ["truchon2007"]),
        (inference.certificate([0, 1] * 20, np.arange(40.0)), []),
    ],
)
def test_an_object_brings_the_papers_it_rests_on(obj, wanted):
    assert keys(obj)[0] == "podium"
    assert set(wanted) <= set(keys(obj))


def test_podium_is_cited_with_its_version():
    assert f"  version = {{{podium.__version__}}},\n" in podium.cite()


def test_another_paper_of_the_same_authors_or_year_is_not_meant():
    assert "venkatraman1996" not in keys(podium.BoostedRanker("push:4"))
    assert {"CLV21", "CV08"}.isdisjoint(keys(podium.TreeRanker))  # TreeRank is of 2009 and 2011
    assert keys(np.sort) == ["podium"]


def public_docstrings():
    for room in podium.__all__:
        module = getattr(podium, room)
        for name in getattr(module, "__all__", ()) if inspect.ismodule(module) and room != "neural" else ():
            yield f"{room}.{name}", inspect.getdoc(getattr(module, name)) or ""


def test_every_paper_among_the_references_of_a_docstring_has_its_entry():
    years = {re.search(r"\d{4}", entry[entry.index("year") :])[0] for _, entry in _bibliography().values()}
    for name, text in public_docstrings():
        for section in re.findall(r"^References\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", text, re.DOTALL | re.MULTILINE):
            for year in re.findall(r"\(((?:19|20)\d\d)\)", section):
                assert year in years, f"{name}: {year}"
            named = [mark for mark, _ in _bibliography().values() if re.search(mark, section)]
            assert len(named) >= len(re.findall(r"\((?:19|20)\d\d\)", section)), name


def test_every_entry_is_whole_and_named_somewhere():
    said = "\n".join(text for _, text in public_docstrings())
    for key, (mark, entry) in _bibliography().items():
        assert entry.count("{") == entry.count("}")
        assert {"author", "title", "year"} <= set(re.findall(r"^  (\w+) =", entry, re.MULTILINE)), key
        assert key == "podium" or re.search(mark, said), f"{key} is named by no docstring"
