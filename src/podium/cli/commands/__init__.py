"""One file per command, under its name: parse, call, render."""

# What each command does, in the order in which they are listed; their files are read only when they are run.
SUMMARIES = {
    "demo": "Run the whole job on a simulated table of loans: train, evaluate, write a report to open in a browser.",
    "look": "Look at a table before anything is fitted: labels, doubts, what each column becomes, the command to run.",
    "fit": "Learn from a table which rows belong on top, and evaluate the result on rows it has not seen.",
    "score": "Rank the rows of a table with a model: id, score, rank and percentile, best first.",
    "shortlist": "Select rows of a table with a model: a shortlist, best first, with a guarantee.",
    "plan": "Say how many rows to draw from below the top of a list, so that the whole list is known.",
    "monitor": "Watch a model in use, batch after batch: have scores, performance or columns changed?",
    "export": "Write a model as SQL, for scoring inside a database, or as ONNX.",
    "explain": "Explain which values of a row move it up or down the list, compared with other rows.",
    "evaluate": "Evaluate scores against labels: rank statistics with intervals, hits within a budget, a guarantee.",
    "compare": "Compare several columns of scores on the same rows; p-values are adjusted by Holm's method.",
    "test": "Test whether two groups of rows come from the same distribution.",
    "bound": "Evaluate a bound that holds for every distribution; without a name, list all bounds.",
    "reproduce": "Recompute tables and figures of the papers and compare them with the printed numbers.",
}
