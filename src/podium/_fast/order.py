"""Sorting scores by buckets."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache

import numpy as np

from podium._fast.compiled import compiled, compiled_reduction
from podium._fast.lists import number_groups, split, twice_wins
from podium._types import Array, FloatArray

# A nondecreasing map from scores to a few thousand cells, which adapts to how they spread.
#
# Linear between the extremes of a sample where that fills the cells evenly; else piecewise linear through quantiles of
# the sample, with a cell of its own for the value of every knot: a value that many rows share is then alone in its
# cell. The map decides about speed only. Rounding keeps it nondecreasing, and inside a cell scores themselves are
# compared.


_SAMPLE = 4096
_N_KNOTS = 63  # found by six halvings
_ROWS_PER_CELL = 1024  # of both classes; their scores then stay in the first-level cache
_MOST_CELLS = 4096  # more streams of writes than that, and the memory system loses track of them
_CROWDED = 12  # times its fair share of the sample: a cell that holds more makes a linear map uneven


@dataclass(frozen=True)
class CellMap:
    """Cells of scores x: ``(W + 1)·j + x's place among the W cells above knot j``, or one linear stretch.

    Scores are multiplied by ``unit``, a power of two, first: differences neither overflow nor vanish.
    """

    unit: float
    knots: FloatArray  # ascending; infinite where there are fewer; one of them where the map is linear
    slopes: FloatArray  # cells per unit above each knot; the first belongs to what lies below all
    n_cells: int

    @classmethod
    def of(cls, scores: FloatArray) -> CellMap:
        """The map for these scores, from a sample of them; the same at every call."""
        sample = scores[np.random.default_rng(0).integers(len(scores), size=_SAMPLE)]
        unit = 2.0 ** np.clip(1 - np.frexp(np.abs(sample).max())[1], -1000, 1000)
        sample = np.sort(sample * unit)
        low, high = sample[0], sample[-1]
        n_wanted = min(max(len(scores) // _ROWS_PER_CELL, 64), _MOST_CELLS)
        slope = _slope(n_wanted, high - low)
        shares = np.bincount(np.minimum((sample - low) * slope / n_wanted * 64, 63).astype(np.intp))
        if shares.max() <= _CROWDED * _SAMPLE / 64:
            return cls(unit, np.array([low]), np.array([slope]), n_wanted)
        return cls._through_quantiles(unit, sample, n_wanted)

    @classmethod
    def _through_quantiles(cls, unit: float, sample: FloatArray, n_wanted: int) -> CellMap:
        distinct = np.unique(sample[np.linspace(0, _SAMPLE - 1, _N_KNOTS).astype(np.intp)])
        knots = np.full(_N_KNOTS, np.inf)
        knots[: len(distinct)] = distinct
        width = n_wanted // (_N_KNOTS + 1) + 1
        slopes = np.zeros(_N_KNOTS + 1)
        slopes[1 : len(distinct)] = [_slope(width, gap) for gap in np.diff(distinct)]
        return cls(unit, knots, slopes, (_N_KNOTS + 1) * (width + 1))

    def locate(self, scores: FloatArray, is_positive: Array | None) -> tuple[Array, Array]:
        """The cell of every row and where each cell begins if rows are put in order; positives have cells of their own.

        Those come after the cells of the negatives.
        """
        cells = np.empty(len(scores), np.uint16)
        n_classes = 1 if is_positive is None else 2
        if len(self.knots) == 1:
            _linear(scores, self.unit, self.knots[0], self.slopes[0], self.n_cells, cells)
        else:
            _piecewise(scores, self.unit, self.knots, self.slopes, self.n_cells, cells)
        if is_positive is not None:
            _move_positives(cells, is_positive.view(np.uint8), self.n_cells)
        starts = np.zeros(n_classes * self.n_cells + 1, np.int64)
        _count(cells, starts[1:])
        np.cumsum(starts, out=starts)
        return cells, starts


def _slope(n_cells: int, gap: float) -> float:
    """Cells per unit; finite, and zero where there is no gap."""
    with np.errstate(over="ignore"):
        return float(min(n_cells / gap, np.finfo(np.float64).max)) if gap > 0 else 0.0


@compiled
def _linear(scores, unit, low, slope, n_cells, cells):
    last = n_cells - 1.0
    for i in range(scores.size):
        place = (scores[i] * unit - low) * slope
        place = place if place > 0.0 else 0.0
        place = place if place < last else last
        cells[i] = np.uint16(np.int32(place))


@compiled
def _piecewise(scores, unit, knots, slopes, n_cells, cells):
    width = n_cells // slopes.size - 1
    last = width - 1.0
    for i in range(scores.size):
        x = scores[i] * unit
        # Six halvings for every row, written out: nothing to mispredict.
        j = np.uint32(32) * np.uint32(knots[31] <= x)
        j += np.uint32(16) * np.uint32(knots[j + np.uint32(15)] <= x)
        j += np.uint32(8) * np.uint32(knots[j + np.uint32(7)] <= x)
        j += np.uint32(4) * np.uint32(knots[j + np.uint32(3)] <= x)
        j += np.uint32(2) * np.uint32(knots[j + np.uint32(1)] <= x)
        j += np.uint32(knots[j] <= x)
        left = knots[max(j, np.uint32(1)) - np.uint32(1)]
        place = (x - left) * slopes[j]
        place = place if place > 0.0 else 0.0  # not a number, too: infinity times zero
        place = place if place < last else last
        cells[i] = np.uint16(np.int32(j) * np.int32(width + 1) + np.int32(x > left) * (1 + np.int32(place)))


@compiled
def _move_positives(cells, is_positive, n_cells):
    for i in range(cells.size):
        cells[i] += np.uint16(is_positive[i]) * np.uint16(n_cells)


@compiled
def _count(cells, counts):
    for i in range(cells.size):
        counts[cells[i]] += 1


# The rows of one cell in exact order: finer cells, one more counting pass, and insertion. O(n) for scores that spread.
#
# Where too many lie closer together than these cells tell apart, a heap sort: never worse than O(n log n).


_FINE_PER_ROW = 2  # cells: most hold one score or none
_FEW = 12  # rows: insertion alone is faster
_MOVES_PER_ROW = 8  # beyond, a heap sort is faster


@compiled_reduction
def span(values):
    """The smallest and the largest of the values."""
    low = high = values[0]
    for i in range(values.size):
        low = min(low, values[i])
        high = max(high, values[i])
    return low, high


def buffers(n_rows, with_rows):
    """Room to settle up to ``n_rows`` at once: fine cells, where these begin, scores, and row numbers if any."""
    n_fine = _FINE_PER_ROW << max(n_rows - 1, 1).bit_length()
    rows = np.empty(n_rows, np.uint32) if with_rows else None
    return np.empty(n_rows, np.int32), np.empty(n_fine + 1, np.int32), np.empty(n_rows + 1), rows


@compiled
def fine_cells(values, low, high, unit):
    """How many finer cells between two values, and how many per unit."""
    n_fine = _FINE_PER_ROW
    while n_fine < _FINE_PER_ROW * values.size:
        n_fine *= 2
    slope = n_fine / (high * unit - low * unit)
    return n_fine, slope if slope < np.inf else 0.0


@compiled
def locate(values, low, unit, slope, n_fine, cells):
    """The finer cell of each value; those beyond the ends count to the first and the last."""
    base, last = low * unit, n_fine - 1.0
    for i in range(values.size):
        place = (values[i] * unit - base) * slope
        place = place if place > 0.0 else 0.0
        place = place if place < last else last
        cells[i] = np.int32(place)


@compiled
def sort_by_cell(values, rows, cells, n_fine, starts, sorted_values, sorted_rows):
    """Values, and rows unless None, in exact order; ``starts[c]`` is where cell c begins."""
    n = values.size
    for c in range(n_fine + 1):
        starts[c] = 0
    for i in range(n):
        starts[np.uint32(cells[i])] += np.int32(1)
    passed = np.int32(0)
    for c in range(n_fine + 1):
        passed += starts[c]
        starts[c] = passed
    for i in range(n - 1, -1, -1):  # from behind: equal scores keep the order of their rows
        c = np.uint32(cells[i])
        place = starts[c] - np.int32(1)
        starts[c] = place
        sorted_values[np.uint32(place)] = values[i]
        if rows is not None:
            sorted_rows[np.uint32(place)] = rows[i]
    _repair(sorted_values, sorted_rows, n)


@compiled
def settle(values, rows, unit, room):
    """Put the values of one cell in order, in place, and their rows with them unless None."""
    low, high = span(values)
    if low == high:
        return
    if values.size <= _FEW:
        _repair(values, rows, values.size)
        return
    cells, starts, sorted_values, sorted_rows = room
    n_fine, slope = fine_cells(values, low, high, unit)
    locate(values, low, unit, slope, n_fine, cells)
    sort_by_cell(values, rows, cells, n_fine, starts, sorted_values, sorted_rows)
    for i in range(values.size):  # loops, not slices: those take seconds to compile
        values[i] = sorted_values[i]
        if rows is not None:
            rows[i] = sorted_rows[i]


@compiled
def settle_all(values, rows, starts, unit, room):
    """The same for every cell; cell c begins at ``starts[c]``."""
    for c in range(starts.size - 1):
        begin, end = starts[c], starts[c + 1]
        if end - begin > 1:
            settle(values[begin:end], None if rows is None else rows[begin:end], unit, room)


@compiled
def _repair(values, rows, n):
    """The first ``n`` in order, which nearly are."""
    moves_left = _MOVES_PER_ROW * n
    for i in range(1, n):
        value = values[i]
        if not values[i - 1] > value:
            continue
        j = i
        row = np.uint32(0) if rows is None else rows[i]
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            if rows is not None:
                rows[j] = rows[j - 1]
            j -= 1
        values[j] = value
        if rows is not None:
            rows[j] = row
        moves_left -= i - j
        if moves_left < 0:
            _heap_sort(values, rows, n)
            return


@compiled
def _heap_sort(values, rows, n):
    """The first half of the rounds makes a heap, the second takes the largest off it again and again."""
    for step in range(n + n // 2 - 1):
        at, end = n // 2 - 1 - step, n
        if at < 0:
            at, end = 0, n + n // 2 - 1 - step
            _swap(values, rows, 0, end)
        while 2 * at + 1 < end:
            child = 2 * at + 1
            if child + 1 < end and values[child + 1] > values[child]:
                child += 1
            if not values[child] > values[at]:
                break
            _swap(values, rows, at, child)
            at = child


@compiled
def _swap(values, rows, i, j):
    value = values[i]
    values[i] = values[j]
    values[j] = value
    if rows is not None:
        row = rows[i]
        rows[i] = rows[j]
        rows[j] = row


# Pairs in the right order, counted cell by cell: O(N), nothing beyond a cell is put in order.
#
# The rarer class of a cell is settled, the other looked up in its finer cells.


@compiled
def twice_wins_of_cells(values, starts, n_cells, settled, unit, room):
    """Twice the number of pairs in which a row of the class looked up is above one of the class settled.

    ``values`` are by cell, those of the negatives before those of the positives; ``settled`` is 0 for the former. Below
    2⁶³ for up to 4·10⁹ rows.
    """
    total = passed = np.int64(0)
    own, other = settled * n_cells, (1 - settled) * n_cells
    for c in range(n_cells):
        begin, end = starts[own + c], starts[own + c + 1]
        looked_up = values[starts[other + c] : starts[other + c + 1]]
        total += 2 * passed * looked_up.size
        if end > begin and looked_up.size > 0:
            total += _within(values[begin:end], looked_up, unit, room)
        passed += end - begin
    return total


@compiled
def _within(settled, looked_up, unit, room):
    low, high = span(settled)
    total = np.int64(0)
    if low == high:
        for i in range(looked_up.size):
            total += np.int64(looked_up[i] > low) + np.int64(looked_up[i] >= low)
        return total * settled.size
    cells, starts, ordered, _ = room
    n_fine, slope = fine_cells(settled, low, high, unit)
    locate(settled, low, unit, slope, n_fine, cells)
    sort_by_cell(settled, None, cells, n_fine, starts, ordered, None)
    locate(looked_up, low, unit, slope, n_fine, cells)
    for i in range(looked_up.size):
        x, c = looked_up[i], np.uint32(cells[i])
        begin, end = starts[c], starts[c + 1]
        first = ordered[np.uint32(begin)]  # there is one place more than scores
        total += 2 * begin + np.int64(begin < end) * (np.int64(x > first) + np.int64(x >= first))
        if end - begin > 1:
            total += _further(ordered, begin + 1, end, x)
    return total


@compiled
def _further(ordered, begin, end, x):
    """#{< x} + #{≤ x} among the values from ``begin`` to ``end``, which ascend."""
    total = np.int64(0)
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < x:
            low = middle + 1
        else:
            high = middle
    total += low - begin
    high = end
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] <= x:
            low = middle + 1
        else:
            high = middle
    return total + low - begin


# Scores by cell: the counting pass over all rows.


@dataclass(frozen=True)
class Buckets:
    """Scores by cell, and row numbers if wanted: all cells of the negatives before those of the positives."""

    values: FloatArray
    rows: Array | None
    starts: Array
    n_cells: int
    unit: float

    @classmethod
    def of(cls, scores: FloatArray, is_positive: Array | None = None, *, with_rows: bool = False) -> Buckets:
        scores = np.ascontiguousarray(scores)
        cell_map = CellMap.of(scores)
        cells, starts = cell_map.locate(scores, is_positive)
        values = np.empty_like(scores)
        rows = np.empty(len(scores), np.uint32) if with_rows else None
        _distribute(scores, cells, starts[:-1].copy(), values, rows)
        return cls(values, rows, starts, cell_map.n_cells, cell_map.unit)

    def settle(self) -> None:
        """Put the rows of every cell in order, in place: then each class ascends."""
        room = buffers(self._most_in_a_cell, self.rows is not None)
        settle_all(self.values, self.rows, self.starts, self.unit, room)

    def twice_pairs_won(self) -> int:
        """Twice the number of pairs with the positive above the negative, ties counting one half."""
        n_neg = int(self.starts[self.n_cells])
        n_pos = len(self.values) - n_neg
        settled = int(n_pos < n_neg)
        room = buffers(self._most_in_a_cell, False)
        count = int(twice_wins_of_cells(self.values, self.starts, self.n_cells, settled, self.unit, room))
        return 2 * n_pos * n_neg - count if settled else count

    @property
    def _most_in_a_cell(self) -> int:
        return int(np.diff(self.starts).max())


@compiled
def _distribute(scores, cells, places, values, rows):
    for i in range(scores.size):
        place = places[cells[i]]
        places[cells[i]] = place + 1
        values[place] = scores[i]
        if rows is not None:
            rows[place] = i


# Order of scores: by counting, or by NumPy's sort where that is faster. Exact either way.


_FEWEST = 1 << 14  # rows: below, the sample and the tables of cells cost more than they save
_MOST = 1 << 32  # rows, whose numbers have 32 bits
_SLOW = 12.0  # counting passes: a sort that takes longer is slower than the whole of this engine


def ascending(scores: Array, *, in_place: bool = False) -> Array:
    """The scores in order; ``in_place`` where nobody else needs them as they were."""
    if not _by_counting(scores):
        scores = scores if in_place else scores.copy()
        scores.sort()
        return scores
    buckets = Buckets.of(scores)
    buckets.settle()
    return buckets.values


def by_class(scores: Array, is_positive: Array) -> tuple[Array, Array]:
    """Scores of the positives and of the negatives, each in order."""
    if not _by_counting(scores):
        pos, neg = split(scores, is_positive)
        pos.sort()
        neg.sort()
        return pos, neg
    buckets = Buckets.of(scores, is_positive)
    buckets.settle()
    n_neg = buckets.starts[buckets.n_cells]
    return buckets.values[n_neg:], buckets.values[:n_neg]


def rows_ascending(scores: Array) -> tuple[Array, Array]:
    """Row numbers by ascending score, and the scores in this order."""
    if not _by_counting(scores, rows=True):
        rows = np.argsort(scores)
        return rows, scores[rows]
    buckets = Buckets.of(scores, with_rows=True)
    buckets.settle()
    assert buckets.rows is not None
    return buckets.rows, buckets.values


def groups_of_rows(scores: Array) -> tuple[Array, Array]:
    """The distinct scores, ascending, and the number of every row's among them: ``np.unique`` with its inverse."""
    rows, values = rows_ascending(scores)
    distinct, group = number_groups(values, rows)
    return distinct, group


def rows_by_class(scores: Array, is_positive: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """The same of the positives and of the negatives."""
    if not _by_counting(scores, rows=True):
        classes = (np.flatnonzero(one) for one in (is_positive, ~is_positive))
        pos, neg = (rows[np.argsort(scores[rows])] for rows in classes)
        return (pos, scores[pos]), (neg, scores[neg])
    buckets = Buckets.of(scores, is_positive, with_rows=True)
    buckets.settle()
    assert buckets.rows is not None
    n_neg = buckets.starts[buckets.n_cells]
    return (buckets.rows[n_neg:], buckets.values[n_neg:]), (buckets.rows[:n_neg], buckets.values[:n_neg])


def twice_pairs_won(scores: Array, is_positive: Array) -> int:
    """Twice the number of pairs with the positive above the negative, ties counting one half.

    Without a sort this is faster than any.
    """
    if not _is_long(scores):
        return int(twice_wins(*by_class(scores, is_positive)))
    return Buckets.of(scores, is_positive).twice_pairs_won()


def _by_counting(scores: Array, rows: bool = False) -> bool:
    """The rule, in one place: long lists of plain numbers, unless NumPy's sort is a fast one (its argsort never is)."""
    return _is_long(scores) and (rows or sort_in_counting_passes() > _SLOW)


def _is_long(scores: Array) -> bool:
    return _FEWEST <= len(scores) < _MOST and scores.dtype == np.float64


@cache
def sort_in_counting_passes() -> float:
    """How many counting passes NumPy's sort takes here: a property of the processor and of NumPy, measured once."""
    values = np.random.default_rng(0).random(_FEWEST)
    cells = (values * 1000).astype(np.intp)
    seconds = {np.sort: np.inf, np.bincount: np.inf}
    for _ in range(5):  # the best of some: a busy spell must not decide
        for step, argument in ((np.sort, values), (np.bincount, cells)):
            begun = time.perf_counter()
            step(argument)
            seconds[step] = min(seconds[step], time.perf_counter() - begun)
    return float(seconds[np.sort] / seconds[np.bincount])
