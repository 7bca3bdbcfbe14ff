"""One file per command: parse, call, render."""

# What each command does, in the order in which they are listed; their files are read only when they are run.
SUMMARIES = {
    "demo": "Run the whole job on a made-up table of loans: train, judge, write a report to open in a browser.",
    "fit": "Learn from a table which rows belong on top, and judge the result on rows never used before.",
    "score": "Rank the rows of a table with a model: id, score, rank and percentile, best first.",
    "shortlist": "Select rows of a table with a model: a shortlist, best first, and what is guaranteed about it.",
    "monitor": "Watch a model in use, batch after batch: have scores, performance or columns changed?",
    "export": "Write a model as SQL, so that a database scores its own rows, or as ONNX.",
    "explain": "Say which values of a row move it up or down the list, compared with those of other rows.",
    "evaluate": "Judge scores by labels: how well they rank, with intervals, hits within a budget, and a guarantee.",
    "compare": "Compare several columns of scores of the same rows, corrected by Holm's method.",
    "test": "Test whether two groups of rows come from the same distribution.",
    "bound": "Evaluate a bound that holds for every distribution; without a name, list them all.",
    "reproduce": "Recompute tables and figures of the papers, beside the printed numbers.",
}
_ROOMS = {"bound": "papers.", "reproduce": "papers."}


def module_of(command: str) -> str:
    """The module that a command is in."""
    return f"podium.cli.commands.{_ROOMS.get(command, '')}{command}"
