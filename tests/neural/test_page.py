"""The example of the page on networks runs, and learns."""

import re
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("torch")

PAGE = Path(__file__).parents[2] / "docs" / "networks.rst"


def test_the_example_ranks_the_images(capsys):
    (code,) = re.findall(r"code-block:: python\n\n((?:   .*\n|\n)+)", PAGE.read_text(encoding="utf-8"))
    exec(compile(textwrap.dedent(code), str(PAGE), "exec"), {})
    assert re.match(r"AUC 0\.99\d+, 95 % interval", capsys.readouterr().out)
