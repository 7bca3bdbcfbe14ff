"""Tables as people have them: read, checked, described, and turned into numbers."""

from podium.tables.describe import Description, describe
from podium.tables.effects import listed_rows, row_effects, typical_effects
from podium.tables.encode import Encoder
from podium.tables.files.read import chunks, read
from podium.tables.labels import positives
from podium.tables.model import TableModel
from podium.tables.split import Split, split
from podium.tables.training_rows import TrainingRows

__all__ = [
    "Description",
    "Encoder",
    "Split",
    "TableModel",
    "TrainingRows",
    "chunks",
    "describe",
    "listed_rows",
    "positives",
    "read",
    "row_effects",
    "split",
    "typical_effects",
]
