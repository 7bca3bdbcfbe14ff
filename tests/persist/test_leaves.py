"""Every value of a model file replaced by one of another type: refused with a sentence, or harmless."""

import copy
import json
import time

import numpy as np
import pytest

from persist.hostile import Parts, sealed
from podium import InputError, InputTypeError, persist, workflow
from podium.workflow.demo_table import demo_csv

WRONG = [7, -1, 0.5, "x", True, None, [], [1, "a"], {"kind": "dict", "items": []}]


def leaves(value, path=()):
    """Where in a document anything but a list or an object stands."""
    if isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*path, key))
    else:
        yield path


def replaced(document, path, value):
    new = copy.deepcopy(document)
    at = new
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return new


def others(value):
    """Values of other types than this one; a whole number is a number, too."""
    return [other for other in WRONG if type(other) is not type(value)]


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    folder = tmp_path_factory.mktemp("leaves")
    table = folder / "t.csv"
    table.write_text(demo_csv(300))
    model = workflow.fit(table, label="defaulted", positive="yes", model="linear", random_state=0).model
    content = persist.dumps(model)
    parts = Parts(content)
    body = b"".join(parts.blocks.values())
    return table, folder / "m.podium", parts.document, body


def outcome(case, path, value):
    """What is wrong with what a changed file leads to, if anything is."""
    table, file, document, body = case
    file.write_bytes(sealed(json.dumps(replaced(document, path, value)).encode(), body))
    start = time.process_time()
    try:
        scores = workflow.score(file, table, top=5).scores["score"]
    except (InputError, InputTypeError) as error:
        seconds = time.process_time() - start
        return None if seconds < 1 and str(error).splitlines()[0].endswith(".") else f"{seconds:.1f} s: {error}"
    except Exception as error:
        return repr(error)
    return None if np.isfinite(scores).all() else "scores that are no numbers"


@pytest.mark.parametrize("part", range(5))
def test_a_value_of_another_type_is_refused_or_harmless(case, part):
    document = case[2]
    paths = list(leaves(document))
    rng = np.random.default_rng(part)
    for number in rng.choice(len(paths), 20, replace=False):
        value = document
        for key in paths[number]:
            value = value[key]
        wrong = others(value)
        other = wrong[rng.integers(len(wrong))]
        assert outcome(case, paths[number], other) is None, (paths[number], value, other)


def test_a_kind_of_column_that_there_is_not(case):
    document = case[2]
    kinds = [
        path
        for path in leaves(document)
        if path[-1] == 1 and "kind" in json.dumps(_at(document, path[:-1])) and _at(document, (*path[:-1], 0)) == "kind"
    ]
    assert len(kinds) >= 5
    for value in (3, "numbers"):
        assert "ColumnProfile.kind" in refusal(case, kinds[0], value)


def refusal(case, path, value):
    table, file, document, body = case
    file.write_bytes(sealed(json.dumps(replaced(document, path, value)).encode(), body))
    with pytest.raises(InputError) as error:
        workflow.score(file, table)
    return str(error.value)


def _at(document, path):
    for key in path:
        document = document[key]
    return document
