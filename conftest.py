"""Settings of a run as a whole: what is collected, and when memory is searched for garbage."""

import gc
from importlib.util import find_spec

# Examples in docstrings of what needs torch are run where it is installed.
collect_ignore_glob = [] if find_spec("torch") else ["src/podium/neural/*"]

gc.disable()  # until all is imported: searching the growing heap takes as long as collecting the tests


def pytest_collection_finish():
    """What is there now stays to the end, and is not searched again."""
    gc.collect()
    gc.freeze()
    gc.enable()
