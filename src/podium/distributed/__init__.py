"""Rankers on Dask collections: partitions stay where they are, the solver is on the client."""
