"""The AUC: a fixed scorer, finitely many, whole classes, and a given error rate."""
