"""All conventions by name: the public functions of the modules beside this one."""

import inspect

from conventions import labels, objects, rows, within_scikit_learn


def _of(module):
    own = inspect.getmembers(module, lambda each: inspect.isfunction(each) and each.__module__ == module.__name__)
    return {name: check for name, check in own if not name.startswith("_")}


BY_SUBJECT = {module.__name__.split(".")[-1]: _of(module) for module in (rows, labels, objects, within_scikit_learn)}
CONVENTIONS = {name: check for checks in BY_SUBJECT.values() for name, check in checks.items()}
