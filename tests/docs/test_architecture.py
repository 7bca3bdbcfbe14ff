"""The page on architecture names the rooms and layers that are there."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_room_has_its_row_in_the_order_of_the_layers():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    layers = [re.findall(r"\w+", layer) for layer in contract["layers"]]
    page = (ROOT / "docs" / "architecture.rst").read_text(encoding="utf-8")
    rooms = re.findall(r"^   ``(\w+)`` \| \S", page, flags=re.MULTILINE)
    assert sorted(rooms) == sorted(name for layer in layers for name in layer)
    height = {name: number for number, layer in enumerate(layers) for name in layer}
    assert [height[name] for name in rooms] == sorted(height.values())


def test_every_room_of_the_package_is_in_a_layer():
    folder = ROOT / "src" / "podium"
    modules = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    page = (ROOT / "docs" / "architecture.rst").read_text(encoding="utf-8")
    assert modules - {"__init__"} == set(re.findall(r"^   ``(\w+)`` \| \S", page, flags=re.MULTILINE))
