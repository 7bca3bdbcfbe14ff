"""Settings shared by all tests."""

from hypothesis import settings

# Compilation makes a first example slow; the examples are the same in every run.
settings.register_profile("podium", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("podium")
