"""The reference lists every public name, and every public docstring says what each parameter is."""

from __future__ import annotations

import builtins
import doctest
import inspect
import re
import symtable
from functools import cached_property
from pathlib import Path

import pytest

import podium
from docs.pages import each
from podium import _optional

DOCS = Path(__file__).parents[2] / "docs"
NEEDS_TORCH = () if _optional.is_installed("torch") else ("neural",)
LISTED = re.findall(
    r"^(?:   |\.\. py:data:: )([\w.]+)$",
    "\n".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "api").glob("*.rst"))),
    re.MULTILINE,
)
SECTION = r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)"


def modules():
    members = {name: getattr(podium, name) for name in podium.__all__ if name not in NEEDS_TORCH}
    return {name: member for name, member in members.items() if inspect.ismodule(member)}


def exported(module):
    """Everything a module exports, by name, and so also its constants."""
    return {name: getattr(module, name) for name in module.__all__ if name not in NEEDS_TORCH}


def described(text):
    """The parameters of a docstring with what is said of each."""
    words: dict[str, str] = {}
    for section in re.findall(SECTION, text, re.DOTALL | re.MULTILINE):
        for head, body in re.findall(r"^(\S.*)\n((?:(?:    .*)?\n?)*)", section, re.MULTILINE):
            words |= dict.fromkeys((name.strip(" *") for name in head.split(" : ")[0].split(",")), body.strip())
    return words


def public_objects():
    """Functions and classes, each once: by its room, and at the top what is in none; errors need no call."""
    seen = set()
    for room, module in (*modules().items(), ("podium", podium)):
        for name, member in exported(module).items():
            is_error = inspect.isclass(member) and issubclass(member, Exception)
            if callable(member) and not is_error and id(member) not in seen:
                seen.add(id(member))
                yield f"{room}.{name}", member


def public_callables():
    """Functions, classes, and the methods that Podium gives them, wherever in the line of bases they are written."""
    for name, member in public_objects():
        yield name, member
        if inspect.isclass(member):
            yield from ((f"{name}.{key}", getattr(member, key)) for key in _own(member, _is_method))


def public_functions():
    return ((name, member) for name, member in public_objects() if not inspect.isclass(member))


def public_properties():
    for name, member in public_objects():
        for key in _own(member, _is_property) if inspect.isclass(member) else ():
            yield f"{name}.{key}", member, key


def _own(cls, kind):
    ours = [base for base in inspect.getmro(cls) if base.__module__.startswith("podium")]
    return sorted({key for base in ours for key, value in vars(base).items() if key[0] != "_" and kind(value)})


def _is_method(value):
    return inspect.isfunction(value) or isinstance(value, classmethod | staticmethod)


def _is_property(value):
    return isinstance(value, property | cached_property)


def _of_bases(member):
    """What base classes say of the parameters of a method: an implementation need not say it again."""
    name = getattr(member, "__name__", "")
    owner = getattr(inspect.getmodule(member), getattr(member, "__qualname__", "").partition(".")[0], None)
    above = [vars(base).get(name) for base in inspect.getmro(owner)[1:]] if inspect.isclass(owner) else []
    return {key: text for base in reversed(above) for key, text in described(inspect.getdoc(base) or "").items()}


def _mentioned(text):
    """Names that a docstring points to: `compare`, :func:`podium.roc.points`; not what stands in formulas."""
    prose = re.sub(r":math:`[^`]*`", "", text)
    return re.findall(r"(?:(?<![`\w])|:(?:func|class|meth):)`~?([A-Za-z_][\w.]*)`(?!`)", prose)


def _is_public(name, owner):
    """Whether a reader can find the name: as a public one, or as a member of the class that mentions it."""
    first, *rest = name.split(".")
    homes = [podium, *modules().values(), *exported(podium).values(), owner] if first != "podium" else [None]
    for home in homes:
        member = podium if home is None else getattr(home, first, None)
        for part in rest:
            fields = getattr(member, "__dataclass_fields__", {})
            member = getattr(member, part, fields.get(part))
        if member is not None and (first == "podium" or home is owner or first in getattr(home, "__all__", ())):
            return True
    return False


def is_sentence(words):
    """Three words or more that begin as a sentence or with code, and end with a stop; a list may come in between."""
    return len(words.split()) > 2 and re.fullmatch(r"[^a-z\s].*[.:]", words, re.DOTALL) is not None


@each(modules())
def test_the_reference_lists_every_public_name(name):
    missing = [
        key
        for key, member in exported(modules()[name]).items()
        if f"{name}.{key}" not in LISTED and not (key in LISTED and getattr(podium, key, None) is member)
    ]
    assert missing == []


def test_the_reference_lists_every_name_at_the_top():
    assert [name for name in podium.__all__ if name not in LISTED and not _is_listed_module(name)] == []


def _is_listed_module(name):
    return any(each.startswith(f"{name}.") for each in LISTED)


def test_the_reference_lists_nothing_that_does_not_exist():
    for name in LISTED:
        member = podium
        for part in name.split(".") if not name.startswith(NEEDS_TORCH) else ():
            member = getattr(member, part)


@each(public_callables())
def test_every_parameter_is_described_in_a_sentence(name, member):
    words = _of_bases(member) | described(inspect.getdoc(member) or "")
    for parameter in inspect.signature(member).parameters:
        if parameter not in ("self", "ax_", "args", "kwargs"):
            assert is_sentence(words.get(parameter, "")), f"{name}: {parameter}"


@each(public_properties())
def test_every_property_is_described(name, cls, key):
    """By itself, or by the property of a base: the words of a constant that it replaces are those of its type."""
    own = [vars(base)[key] for base in inspect.getmro(cls) if key in vars(base)]
    assert any(inspect.getdoc(each) for each in own if _is_property(each)), name


@each(public_functions())
def test_every_function_says_what_it_returns(name, function):
    returned = re.search(r"^Returns\n-+\n\S.*\n((?:    .*\n?)+)", inspect.getdoc(function) or "", re.MULTILINE)
    assert returned is not None, name
    assert is_sentence(re.sub(r"\s+", " ", returned[1]).strip()), returned[1]


@each(public_objects())
def test_the_first_sentence_stands_whole_in_a_list_of_names(name, member):
    """The lists of the reference show what comes before the first stop: none may be that of an abbreviation."""
    first = re.match(r".*?\.(?=\s|$)", (inspect.getdoc(member) or "").partition("\n\n")[0], re.DOTALL)
    assert first is not None, name
    assert first[0].count("(") == first[0].count(")"), first[0]


@each(public_objects())
def test_examples_import_what_they_use(name, member):
    """So that a reader can copy them; the doctests of the modules run them."""
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(member) or "")
    source = "".join(each.source for each in examples)
    assert _undefined(symtable.symtable(source, name, "exec")) - set(dir(builtins)) == set()


def _undefined(table):
    """Names that code takes from outside."""
    missing = {each.get_name() for each in table.get_symbols() if each.is_global() or _is_loose(table, each)}
    inner = set().union(*(_undefined(child) for child in table.get_children()), set())
    own = {each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported()}
    return (missing | inner) - (own if table.get_type() == "module" else set())


def _is_loose(table, symbol):
    return table.get_type() == "module" and not (symbol.is_assigned() or symbol.is_imported())


@pytest.mark.parametrize("words", ["", "the number of rows", "Rows.", "The number of rows"])
def test_a_parameter_without_a_sentence_is_noticed(words):
    def deaf(y_true, k):
        pass

    deaf.__doc__ = f"""Count.

Parameters
----------
y_true : array-like
    The labels of the rows.
k : int
    {words}

Returns
-------
int
    The count.
"""
    with pytest.raises(AssertionError, match="deaf: k"):
        test_every_parameter_is_described_in_a_sentence.of("deaf", deaf)


@each(public_callables())
def test_a_docstring_points_to_public_names_only(name, member):
    owner = getattr(inspect.getmodule(member), getattr(member, "__qualname__", "").partition(".")[0], None)
    missing = [each for each in _mentioned(inspect.getdoc(member) or "") if not _is_public(each, owner)]
    assert not missing


def test_parameters_are_spelled_as_in_america():
    british = re.compile(r"labell|(?:is|ys)(?:e|ed|er|ing|ation)(?:_|$)|(?:l|b|v)our(?:_|$)|centr(?:e|ed)$")
    english = {"otherwise", "noise", "precise", "pairwise", "promise", "raise", "rise"}
    for name, member in public_callables():
        names = {word for parameter in inspect.signature(member).parameters for word in parameter.split("_")} - english
        assert not [word for word in names if british.search(word)], name
