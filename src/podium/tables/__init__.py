"""Tables as people have them: read, checked and described, and models of them; needs the extra ``tables``."""

from typing import TYPE_CHECKING

from podium._lazy import load_on_first_use
from podium._memory import max_unpacked

if TYPE_CHECKING:
    from podium.columns.encode import Encoder
    from podium.selection.training_rows import TrainingRows
    from podium.tables.describe import Description, describe
    from podium.tables.effects import about_effects, listed_rows, row_effects, shapes, typical_effects
    from podium.tables.files.read import chunks, column_names, read, to_table
    from podium.tables.files.source import Sheet, is_path
    from podium.tables.labels import positives
    from podium.tables.model import TableModel
    from podium.tables.table import Table
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
