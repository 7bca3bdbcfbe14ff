"""Where to cut a ranked list: shortlists with distribution-free guarantees, and when to stop reading."""

from podium.shortlist.all_rows import by_fdr_of_all_rows
from podium.shortlist.choosing import ShortlistPath, path
from podium.shortlist.cost import ProfitShortlist, by_cost
from podium.shortlist.false_discovery import by_fdr
from podium.shortlist.in_order import recall_in_order
from podium.shortlist.precision import by_precision, operating_point
from podium.shortlist.rates import by_fpr, by_recall
from podium.shortlist.result import Shortlist
from podium.shortlist.stopping import RecallClaim, recall_reached

__all__ = [
    "ProfitShortlist",
    "RecallClaim",
    "Shortlist",
    "ShortlistPath",
    "by_cost",
    "by_fdr",
    "by_fdr_of_all_rows",
    "by_fpr",
    "by_precision",
    "by_recall",
    "operating_point",
    "path",
    "recall_in_order",
    "recall_reached",
]
