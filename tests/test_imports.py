import subprocess
import sys

OPTIONAL = [
    "torch",
    "xgboost",
    "lightgbm",
    "dask",
    "matplotlib",
    "plotly",
    "bokeh",
    "jinja2",
    "typer",
    "pandas",
    "pyarrow",
    "polars",
]


def test_importing_podium_loads_no_optional_library():
    code = f"import sys, podium; print([name for name in {OPTIONAL} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_version_of_the_package_is_that_of_its_metadata():
    from importlib.metadata import version

    import podium

    assert podium.__version__ == version("podium")
