"""The page of conventions, from the matrix: ``python -m conventions.page > ../docs/conventions.rst`` in ``tests``."""

from itertools import groupby

from conventions.differences import DIFFERENCES, FAILED_CHECKS
from conventions.matrix import BY_SUBJECT, CONVENTIONS

HEAD = """\
Conventions of scikit-learn
===========================

What users of scikit-learn expect of a classifier, tried on every public ranker: {n} conventions, each a test by the
name below (``tests/conventions``). All hold, but for the differences at the end, each with its reason. Beyond these,
scikit-learn's own ``check_estimator`` runs on every ranker with default parameters; what fails is at the end, too.
"""
END = """\
Differences
-----------

.. csv-table::
   :header: ranker | convention | why
   :delim: |
   :widths: 20 30 50

"""

CHECKS = """
Checks of scikit-learn
----------------------

What ``check_estimator`` finds wrong with a ranker as it comes; all other checks pass.

.. csv-table::
   :header: ranker | check | why
   :delim: |
   :widths: 20 30 50

"""


def words(name):
    return name.replace("_", " ").replace("within scikit learn", "within scikit-learn")


def page():
    """The whole page."""
    parts = [HEAD.format(n=len(CONVENTIONS))]
    for subject, names in BY_SUBJECT.items():
        title = words(subject).capitalize()
        parts.append(f"{title}\n{'-' * len(title)}\n\n" + "\n".join(f"- {words(name)}" for name in names) + "\n")
    cells = sorted((estimator, why, name) for (name, estimator), why in DIFFERENCES.items())
    rows = [
        f"   {estimator} | {'; '.join(words(name) for *_, name in each)} | {why}"
        for (estimator, why), each in groupby(cells, key=lambda cell: cell[:2])
    ]
    failed = [
        f"   ``{estimator}`` | ``{check}`` | {why}"
        for estimator, checks in FAILED_CHECKS.items()
        for check, why in checks.items()
    ]
    return "\n".join([*parts, END + "\n".join(rows)]) + "\n" + CHECKS + "\n".join(failed) + "\n"


if __name__ == "__main__":
    print(page(), end="")
