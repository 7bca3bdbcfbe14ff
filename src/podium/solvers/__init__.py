"""Solvers: maximize any function with a gradient; they know nothing about ranking."""

from podium.solvers.base import Solution, Solver
from podium.solvers.coordinate_ascent import CoordinateAscent
from podium.solvers.gradient_ascent import GradientAscent
from podium.solvers.lbfgs import Lbfgs
from podium.solvers.newton import Newton

__all__ = ["CoordinateAscent", "GradientAscent", "Lbfgs", "Newton", "Solution", "Solver"]
