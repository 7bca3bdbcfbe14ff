"""The page of conventions, from the matrix: ``python -m conventions.page > ../docs/conventions.rst`` in ``tests``."""

from itertools import groupby

from conventions.differences import DIFFERENCES, FAILED_CHECKS
from conventions.matrix import BY_SUBJECT, CONVENTIONS

HEAD = """\
Conventions of scikit-learn
===========================

After this page you know what of scikit-learn works with Podium's rankers, and what does not. What users expect of a
classifier was written down as {n} conventions, each a test of that name in ``tests/conventions`` that runs on every
public ranker (``make test`` takes a third of the pairs, ``make test-slow`` all). All hold except the differences listed
at the end, each with its reason. In addition, scikit-learn's own ``check_estimator`` runs on every ranker with default
parameters; the checks that fail are at the end too.
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

The checks of ``check_estimator`` that fail with default parameters; all others pass.

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
        parts.append(
            f"{title}\n{'-' * len(title)}\n\n.. rst-class:: in-columns\n\n"
            + "\n".join(f"- {words(name)}" for name in names)
            + "\n"
        )
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
