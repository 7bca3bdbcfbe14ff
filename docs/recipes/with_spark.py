"""Spark: executors summarize, the driver merges."""

import pickle
from functools import reduce

import pyarrow as pa

from podium.chunks import merge, run_passes


def counted(frame):
    def on_executors(step):
        def summaries(batches):
            for batch in batches:
                columns = [batch[name].to_numpy(zero_copy_only=False) for name in ("y", "score")]
                yield pa.record_batch({"summary": [pickle.dumps(step.summarize(*columns))]})

        rows = frame.select("y", "score").mapInArrow(summaries, "summary binary").toLocalIterator()
        return reduce(merge, (pickle.loads(row.summary) for row in rows))

    return run_passes(on_executors)
