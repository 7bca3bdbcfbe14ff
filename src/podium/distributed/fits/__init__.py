"""Rankers on Dask collections: partitions stay where they are, the solver is on the client."""

from podium.distributed.fits.fit import fit
from podium.distributed.fits.lazy import decision_function, predict, predict_proba

__all__ = ["decision_function", "fit", "predict", "predict_proba"]
