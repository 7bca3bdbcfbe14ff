"""A score-generating function: the number of positives a reader finds who goes down the list and tires."""

from dataclasses import dataclass

import numpy as np

from podium.phi import Phi


@dataclass(frozen=True, slots=True)
class Geometric(Phi):
    """φ(u) = q^(1 − u): weight falls from 1 at the top of the list to q at its end, 0 < q < 1."""

    q: float = 0.1

    def value(self, u):
        return self.q ** (1 - u)

    def derivative(self, u):
        return -np.log(self.q) * self.value(u)

    def integral(self, u):
        return (self.value(u) - self.q) / -np.log(self.q)

    @property
    def sup_norm_derivative(self):
        return float(-np.log(self.q))

    @property
    def sup_norm_second_derivative(self):
        return float(np.log(self.q) ** 2)

    def __str__(self):
        return f"geometric:{self.q:g}"
