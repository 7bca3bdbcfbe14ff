"""Python as it is where only the dependencies of the core are installed: the others cannot be found."""

import subprocess
import sys

EXTRAS = (
    "typer",
    "rich",
    "pandas",
    "pyarrow",
    "polars",
    "matplotlib",
    "jinja2",
    "lightgbm",
    "xgboost",
    "torch",
    "dask",
)

_BLOCK = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {extras}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""


def run_in_core_install(code: str, absent: tuple[str, ...] = EXTRAS) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, without the packages named."""
    return subprocess.run(
        [sys.executable, "-c", _BLOCK.format(extras=set(absent)) + code], capture_output=True, text=True, check=False
    )
