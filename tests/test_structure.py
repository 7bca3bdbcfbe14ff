"""How the tree looks: no long functions, named encodings, no name for two classes."""

import ast
from pathlib import Path

import podium

PACKAGE = Path(podium.__file__).parent
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "experiments" not in path.relative_to(PACKAGE).parts)


def named(path):
    return str(path.relative_to(PACKAGE))


def test_no_function_has_more_than_60_lines_after_its_signature_and_docstring():
    long = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
                if (count := node.end_lineno - first.lineno + 1) > 60:
                    long[f"{named(path)}: {node.name}"] = count
    assert long == {}


def test_text_is_read_and_written_in_an_encoding_that_is_named():
    """Without one, Windows takes another than UTF-8."""
    unnamed = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and _is_of_text(node)
                and "encoding" not in {key.arg for key in node.keywords}
            ):
                unnamed.append(f"{named(path)}: {node.lineno}")
    assert unnamed == []


def _is_of_text(call):
    match call.func:
        case ast.Attribute(ast.Name("os"), "open"):
            return False
        case ast.Name("open") | ast.Attribute(attr="open" | "read_text" | "write_text"):
            return not any(isinstance(each, ast.Constant) and each.value in ("rb", "wb", "ab") for each in call.args)
    return False


def test_a_class_name_means_one_thing():
    places = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, set()).add(named(path))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
