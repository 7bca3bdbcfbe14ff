"""``podium test``: do two groups of rows differ."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from podium import inference, tables
from podium.cli import options
from podium.cli.progress import Steps
from podium.cli.render import say, show_json, talk
from podium.tables.columns import by_name
from podium.tables.columns.number import numbers

HELP = """Test whether the rows of two groups come from one distribution.

One column of numbers: a rank test. Several columns: a score is learned on one half of the rows and tested on the other.

Example: podium test trial.csv --label treated --column outcome --phi power:3
"""


def run(
    data: options.Data,
    label: options.Label,
    column: Annotated[list[str] | None, typer.Option(help="A column to look at; repeatable; default: all.")] = None,
    positive: options.Positive = None,
    phi: options.Spec = "auc",
    alternative: Annotated[str, typer.Option(help="For one column: two-sided, greater or less.")] = "two-sided",
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Parse, test, print."""
    found: inference.Result
    with Steps("reading") as steps:
        frame, notes = by_name.labelled(tables.read(data), label)
        by_name.require(frame, column or [], "column")
        first, _ = tables.positives(frame[label], positive)
        features = frame[column] if column else frame.drop(columns=label)
        steps.begin("testing")
        description = tables.describe(features, first)
        if list(description.kinds.values()) == ["number"]:
            values = numbers(features[next(iter(description.kinds))])
            found = inference.rank_test(values[first], values[~first], phi, alternative=alternative, rng=seed)
        else:
            # Without labels: an encoding that knew the groups would give them away.
            X = tables.Encoder.fit(features, np.arange(len(features)), description.kinds).encode(features)
            found = inference.learned_two_sample_test(X[first], X[~first], phi=phi, rng=seed)
    talk(*notes, *description.notes)
    if as_json:
        show_json(found.to_dict())
    else:
        say(repr(found))
