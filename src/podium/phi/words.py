"""What a φ emphasizes, in plain words."""

from __future__ import annotations

from podium._results.wording import percent, specification
from podium.phi.base import Phi
from podium.phi.classical import Median, Mww
from podium.phi.dcg import Dcg
from podium.phi.top import EarlyRecognition, Power, SmoothTopShare, TopShare


def phi_in_words(phi: Phi) -> str:
    """What a φ emphasizes."""
    match phi:
        case Mww():
            return "AUC: every pair of a positive and a negative counts the same"
        case Power():
            return f"Towards the top: a rank counts as its power {phi.q:g}"
        case TopShare():
            return f"Only the top {percent(1 - phi.u0)} of the list counts"
        case SmoothTopShare():
            return f"The top {percent(1 - phi.u0)} of the list counts, with a soft edge"
        case EarlyRecognition():
            return f"Early recognition: weight falls by e every {percent(1 / phi.alpha)} of the list"
        case Dcg():
            return "Discounted cumulative gain" + (f" of the first {phi.k:,}" if phi.k else "")
    return "φ as chosen"


def standing(phi: Phi) -> str:
    """The mean of a φ over the ranks of positives among negatives, from 0 at the bottom to 1 on top, as it is called.

    >>> standing(Mww()), standing(SmoothTopShare(0.9833)), standing(Power(3))
    ('AUC', 'standing of positives (top 1.7 % counts)', 'standing of positives (power 3)')
    """
    match phi:
        case _ if phi.is_affine:
            return "AUC"
        case Power():
            stress = f"power {phi.q:g}"
        case TopShare() | SmoothTopShare():
            stress = f"top {percent(1 - phi.u0)} counts"
        case EarlyRecognition():
            stress = f"top {percent(1 / phi.alpha)} counts most"
        case Median():
            stress = "upper half counts"
        case _:
            stress = specification(str(phi))
    return f"standing of positives ({stress})"
