"""Axes of a small SVG picture: data to coordinates, ticks, lines and areas; colors are left to the style sheet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from podium._types import FloatArray

WIDTH, HEIGHT = 360.0, 300.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 54.0, 18.0, 12.0, 44.0


@dataclass(frozen=True)
class Axis:
    """One direction: its ends, its name, and how its ticks read."""

    low: float
    high: float
    name: str
    tick: Callable[[float], str]
    logarithmic: bool = False

    def position(self, values: FloatArray | float) -> FloatArray:
        """From 0 at the low end to 1 at the high end."""
        v, low, high = np.asarray(values, float), self.low, self.high
        if self.logarithmic:
            v, low, high = np.log(np.maximum(v, low)), np.log(low), np.log(high)
        return np.clip((v - low) / (high - low), 0, 1)

    def ticks(self) -> list[float]:
        """Round values inside: powers of ten with their doubles and fives on logarithmic axes, else four to eight."""
        if self.logarithmic:
            decades = range(int(np.floor(np.log10(self.low))), int(np.ceil(np.log10(self.high))) + 1)
            digits = (1, 2, 5) if self.high / self.low < 200 else (1,)
            return [d * 10.0**e for e in decades for d in digits if self.low <= d * 10.0**e <= self.high * (1 + 1e-9)]
        rough = (self.high - self.low) / 5
        size = 10.0 ** np.floor(np.log10(rough))
        step = size * next(m for m in (1, 2, 2.5, 5, 10) if m * size >= rough * (1 - 1e-9))
        first, last = np.ceil(self.low / step - 1e-9), np.floor(self.high / step + 1e-9)
        return [float(i * step) + 0.0 for i in np.arange(first, last + 1)]  # + 0.0: never "−0"


@dataclass(frozen=True)
class Axes:
    """A pair of axes; what it returns is markup for a template."""

    x: Axis
    y: Axis

    def points(self, x: FloatArray, y: FloatArray) -> list[tuple[float, float]]:
        """Coordinates, to a fifth of a pixel: what nobody can see is left out, however long the curve."""
        across = _LEFT + (WIDTH - _LEFT - _RIGHT) * self.x.position(x)
        down = HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * self.y.position(y)
        fifths = np.round(5 * np.column_stack([across, down]))
        moves = np.ones(len(fifths), bool)
        moves[1:] = (np.diff(fifths, axis=0) != 0).any(axis=1)
        corners = fifths[moves]
        if len(corners) > 2:
            before, after = np.diff(corners, axis=0)[:-1], np.diff(corners, axis=0)[1:]
            turns = before[:, 0] * after[:, 1] != before[:, 1] * after[:, 0]
            corners = corners[np.concatenate([[True], turns, [True]])]
        return [(px, py) for px, py in (corners / 5).tolist()]

    def point(self, x: float, y: float) -> tuple[float, float]:
        return self.points(np.array([x]), np.array([y]))[0]

    def line(self, x: FloatArray, y: FloatArray, look: str) -> Markup:
        """A broken line."""
        return Markup('<polyline class="{}" points="{}"/>').format(look, _joined(self.points(x, y)))

    def area(self, x: FloatArray, low: FloatArray, high: FloatArray, look: str) -> Markup:
        """What lies between two lines."""
        around = self.points(x, high) + self.points(x[::-1], low[::-1])
        return Markup('<polygon class="{}" points="{}"/>').format(look, _joined(around))

    def frame(self) -> Markup:
        """Grid, ticks and names of both axes."""
        bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
        parts = []
        for value in self.x.ticks():
            px = self.point(value, self.y.low)[0]
            parts.append(Markup('<line class="grid" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>').format(px, _TOP, bottom))
            text = Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>')
            parts.append(text.format(px, bottom + 18, self.x.tick(value)))
        for value in self.y.ticks():
            py = self.point(self.x.low, value)[1]
            parts.append(Markup('<line class="grid" x1="{1}" x2="{2}" y1="{0}" y2="{0}"/>').format(py, _LEFT, right))
            text = Markup('<text x="{}" y="{}" text-anchor="end">{}</text>')
            parts.append(text.format(_LEFT - 6, py + 4, self.y.tick(value)))
        across, down = (_LEFT + right) / 2, (_TOP + bottom) / 2
        names = (
            '<text class="name" x="{}" y="{}" text-anchor="middle">{}</text>'
            '<text class="name" transform="translate(12 {}) rotate(-90)" text-anchor="middle">{}</text>'
        )
        parts.append(Markup(names).format(across, HEIGHT - 8, self.x.name, down, self.y.name))
        return Markup("").join(parts)


def _joined(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)
