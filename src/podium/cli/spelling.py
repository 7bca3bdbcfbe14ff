"""Names of arguments as options, and options that people know by the names that other programs give them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from podium.exceptions import InputError

# Arguments of the library whose options are not called the same.
_OTHERWISE = {
    "id_column": "--id",
    "random_state": "--seed",
    "confidence_level": "--confidence",
    "scores": "--score",
    "columns": "--column",
    "metric": "--phi",
}
_NAMED = re.compile(r"\b(?:[Tt]he )?(?:option|argument) ([a-z_]+)\b(?:: (\S+?))?(?=[\s).,;]|$)")
_COMPOUND = r"label_delay|time_limit|explore_for|average_run_length|id_column|random_state|confidence_level"
_WITHIN = re.compile(rf"(?<![\w'-])({_COMPOUND})(?![\w'])")
# Words that are English, too: a sentence that begins with one in small letters is about the argument.
_FIRST = re.compile(
    r"^(budget|population|fraction|holdout|every|per|unlabeled|memory|phi|criterion|top|explore|reasons|fdr|recall|fpr|precision|gain"
    r"|cost|prevalence|tolerance|threshold|width|unit)(?= (?:must|counts|divides|says|is)\b)"
)

_OBJECTS = re.compile(r", or an object of podium\.\w+(?: or podium\.\w+)?")
_LABELED = ("fit", "evaluate", "compare", "test")  # commands that cannot do without a label

_MEANT = {
    **dict.fromkeys(("--target", "--y", "--outcome", "--label-column", "--class", "--response"), "--label"),
    **dict.fromkeys(("--pos-label", "--positive-class"), "--positive"),
    **dict.fromkeys(("--share", "--percent", "--percentage"), "--fraction"),
    **dict.fromkeys(("--top-k", "--capacity"), "--budget"),
    **dict.fromkeys(("--date", "--timestamp", "--time-column"), "--time"),
    **dict.fromkeys(("--groups", "--group-column", "--unit-column"), "--group"),
    **dict.fromkeys(("--weights", "--sample-weight"), "--weight"),
    **dict.fromkeys(("--drop", "--ignore", "--without"), "--exclude"),
    **dict.fromkeys(("--output", "--folder", "--out-dir"), "--out"),
    **dict.fromkeys(("--test-size", "--holdout-share"), "--holdout"),
    **dict.fromkeys(("--id-column", "--identifier"), "--id"),
    "--random-state": "--seed",
    "--confidence-level": "--confidence",
    "--sheet-name": "--sheet",
}
_ROLES = {
    "--label": " names the column that says which rows belong on top",
    "--budget": " is how many rows you can inspect",
}
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_SHARES = ("--fraction", "--holdout", "--fdr", "--recall", "--fpr", "--precision", "--confidence", "--prevalence")


def on_command_line(text: str) -> str:
    """A sentence of the library as the command says it.

    >>> on_command_line("The argument positive names it (option time: day).")
    '--positive names it (--time day).'
    >>> on_command_line("label_delay must be a number of days; time is not.")
    '--label-delay must be a number of days; time is not.'
    """

    def option(found: re.Match[str]) -> str:
        value = f" {found[2]}" if found.re is _NAMED and found[2] else ""
        return _OTHERWISE.get(found[1], f"--{found[1].replace('_', '-')}") + value

    for way in (_FIRST, _NAMED, _WITHIN):
        text = way.sub(option, text)
    return _OBJECTS.sub("", text)


def check_spelling(arguments: Sequence[str]) -> None:
    """Refuse what only other programs understand, with what to type here; all else is for the command to check."""
    for i, word in enumerate(arguments):
        option, equals, value = word.partition("=")
        hyphened = option.replace("_", "-")
        if (meant := _MEANT.get(hyphened)) is not None:
            raise InputError(f"There is no option {option}.", f"{meant}{_ROLES.get(meant, ' is the option')}.")
        if word.startswith("--") and "_" in option:
            raise InputError(f"There is no option {option}.", f"did you mean {hyphened}?")
        value = value if equals else next(iter(arguments[i + 1 : i + 2]), "")
        percent = _PERCENT.fullmatch(value)
        is_share = percent is not None or re.fullmatch(r"0?\.\d+", value) is not None
        if hyphened == "--budget" and is_share:
            share = float(percent[1]) / 100 if percent else float(value)
            raise InputError(
                f"A budget is a whole number of rows; got {value}.", f"--fraction {share:g} is a share of the list."
            )
        if hyphened in _SHARES and percent is not None:
            raise InputError(
                f"{hyphened} takes a share between 0 and 1; got {value}.", f"{hyphened} {float(percent[1]) / 100:g}"
            )
    names = {word.partition("=")[0] for word in arguments}
    if len(arguments) > 1 and arguments[0] in _LABELED and not names & {"--label", "--help"}:
        raise InputError(
            f"podium {arguments[0]} needs --label, the column that says which rows belong on top.",
            "for instance --label defaulted; podium --help lists the commands.",
        )
