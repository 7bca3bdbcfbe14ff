"""Spark: every executor scores its own rows."""

from podium import workflow


def scored(frame, model, kept="id long"):
    names = [column.split()[0] for column in kept.split(", ")]
    scorer = workflow.batch_scorer(model, keep=names)
    return frame.mapInPandas(scorer.each, f"{kept}, score double")
