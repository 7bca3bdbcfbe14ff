"""The main job: from a table to a model, an honest judgement of it, and a report."""
