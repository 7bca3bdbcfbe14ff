"""How many rows a study needs, under the binormal model."""
