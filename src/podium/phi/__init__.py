"""Score-generating functions φ: which part of the list matters.

The same φ is a metric, a training objective, a hypothesis test and a certificate.
"""

from podium.phi.classical import Logistic, Logrank, Median, Mww, Phi, Power, Savage, VanDerWaerden
from podium.phi.custom import Custom
from podium.phi.spec import resolve
from podium.phi.top import Dcg, EarlyRecognition, SmoothTopShare, TopShare, for_budget

__all__ = [
    "Custom",
    "Dcg",
    "EarlyRecognition",
    "Logistic",
    "Logrank",
    "Median",
    "Mww",
    "Phi",
    "Power",
    "Savage",
    "SmoothTopShare",
    "TopShare",
    "VanDerWaerden",
    "for_budget",
    "resolve",
]
