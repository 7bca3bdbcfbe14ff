"""Ray: every worker scores its own blocks."""

from podium import workflow


def scored(dataset, model, kept=("id",)):
    scorer = workflow.batch_scorer(model, keep=kept)
    return dataset.map_batches(lambda batch: scorer(batch), batch_format="pandas")
