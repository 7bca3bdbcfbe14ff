"""Examples in docstrings of what needs torch are run where it is installed."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/podium/neural/*"]
