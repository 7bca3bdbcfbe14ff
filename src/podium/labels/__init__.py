"""Labels that were observed for some rows of a list only: by whom they were chosen, and what that says of all rows."""

from podium.labels.observed import Observed

__all__ = ["Observed"]
