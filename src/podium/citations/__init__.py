"""Which papers an object rests on, as BibTeX."""

from podium.citations.bibtex import cite

__all__ = ["cite"]
