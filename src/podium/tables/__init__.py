"""Tables as people have them: read, checked, described, and turned into numbers; needs the extra ``tables``."""

from typing import TYPE_CHECKING

from podium._lazy import load_on_first_use
from podium._memory import max_unpacked

if TYPE_CHECKING:
    from podium.tables.describe import Description, describe
    from podium.tables.effects import about_effects, listed_rows, row_effects, shapes, typical_effects
    from podium.tables.encode import Encoder
    from podium.tables.files.read import chunks, column_names, read, to_table
    from podium.tables.files.source import Sheet, is_path
    from podium.tables.labels import positives
    from podium.tables.model import TableModel
    from podium.tables.table import Table
    from podium.tables.training_rows import TrainingRows
else:
    load_on_first_use(__name__, "pandas", "pyarrow")

__all__ = [
    "Description",
    "Encoder",
    "Sheet",
    "Table",
    "TableModel",
    "TrainingRows",
    "about_effects",
    "chunks",
    "column_names",
    "describe",
    "is_path",
    "listed_rows",
    "max_unpacked",
    "positives",
    "read",
    "row_effects",
    "shapes",
    "to_table",
    "typical_effects",
]
