"""Coverage of intervals for metrics, of precision–recall bands and decision curves, and of the recall of the next list.

Part of ``make coverage``: prints its tables and writes them to docs/coverage_metrics.rst; some minutes on one core.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from laws import LAWS, contaminated, normal
from pages import table
from scipy.stats import beta

from podium._types import Sample
from podium.inference import compare, decision_curve, interval, pr_band
from podium.inference.hits.new_draw import NewDraw
from podium.metrics import dcg

TARGET = Path(__file__).parent.parent / "docs" / "coverage_metrics.rst"
SIZES = ((100, 100), (30, 270), (20, 2000))
CHOSEN = (LAWS[0], LAWS[1], LAWS[5], contaminated(0.02), LAWS[-1])
GRID = (np.arange(200_000) + 0.5) / 200_000


def population(law) -> tuple[np.ndarray, np.ndarray]:
    """Masses of both classes at the distinct scores, from the best on."""
    values, group = np.unique(np.concatenate([law.pos(GRID), law.neg(GRID)]), return_inverse=True)
    halves = group[: len(GRID)], group[len(GRID) :]
    pos, neg = (np.bincount(half, minlength=len(values))[::-1] / len(GRID) for half in halves)
    return pos, neg


def true_metric(law, metric: str, n_pos: int, n_neg: int) -> float:
    """The metric of the population with the sample's share of positives; NDCG as the mean of lists this long."""
    name, _, k = metric.partition(":")
    if name == "ndcg":
        rng = np.random.default_rng(99)
        return float(np.mean([dcg(*law.draw(rng, n_pos, n_neg), normalize=True) for _ in range(3000)]))
    share = n_pos / (n_pos + n_neg)
    pos, neg = population(law)
    hits, rows = share * np.cumsum(pos), np.cumsum(share * pos + (1 - share) * neg)
    if name == "average-precision":
        return float(pos @ (hits / rows))
    part = int(k) / (n_pos + n_neg)
    recall = float(np.interp(part, np.append(0, rows), np.append(0, hits))) / share
    return {"recall-at": recall, "precision-at": recall * share / part, "lift-at": recall / part}[name]


def metric_table(n_draws: int) -> Iterator[list[str]]:
    for sizes in SIZES:
        k = sum(sizes) // 10
        for law in CHOSEN:
            for metric in ("average-precision", "ndcg", f"precision-at:{k}", f"recall-at:{k}", f"lift-at:{k}"):
                rng, expected = np.random.default_rng(0), true_metric(law, metric, *sizes)
                found = [interval(*law.draw(rng, *sizes), metric=metric) for _ in range(n_draws)]
                below = np.mean([expected < one.low for one in found])
                above = np.mean([expected > one.high for one in found])
                width = np.mean([one.high - one.low for one in found])
                numbers = [f"{v:.3f}" for v in (expected, 1 - below - above, below, above, width)]
                yield [str(law), "{}/{}".format(*sizes), metric, *numbers, "short" if below + above > 0.07 else ""]


def size_table(n_draws: int) -> Iterator[list[str]]:
    """Share of paired tests at the 5 % level that find a difference between two scorers of equal quality."""
    for metric in ("average-precision", "ndcg", "precision-at:20", "recall-at:20", "lift-at:20"):
        row = [metric]
        for sizes in ((100, 100), (30, 270), (20, 500)):
            rng, rejected = np.random.default_rng([1, *sizes]), 0
            for _ in range(n_draws):
                y, s = normal(0.8).draw(rng, *sizes)
                rejected += compare(y, *(s + 0.7 * rng.standard_normal((2, len(s)))), metric=metric).pvalue <= 0.05
            row.append(f"{rejected / n_draws:.3f}")
        yield row


def pr_table(n_draws: int) -> Iterator[list[str]]:
    """Bands that hold the whole curve, the number of positives being random."""
    recall = np.linspace(0.005, 0.995, 199)
    for n_rows, share in ((200, 0.5), (300, 0.1), (2000, 0.05)):
        for law in CHOSEN:
            pos, neg = population(law)
            fpr = np.interp(recall, np.append(0, np.cumsum(pos)), np.append(0, np.cumsum(neg)))
            precision = share * recall / (share * recall + (1 - share) * fpr)
            rng, held, width = np.random.default_rng(0), 0, 0.0
            for _ in range(n_draws):
                band = pr_band(*law.draw(rng, n_pos := rng.binomial(n_rows, share), n_rows - n_pos))
                low, high = band.at(recall)
                held += bool(np.all((low <= precision + 1e-9) & (precision <= high + 1e-9)))
                width += band.mean_width
            yield [str(law), f"{n_rows:,}", f"{100 * share:.0f} %", f"{held / n_draws:.3f}", f"{width / n_draws:.3f}"]


def decision_table(n_draws: int, sizes: tuple[int, ...] = (200, 500, 2000)) -> Iterator[list[str]]:
    """Bands that hold the whole curve; the probabilities are true ones, or too extreme by a factor of the logit."""
    t = np.arange(1, 100) / 100
    for n_rows in sizes:
        for a, b in ((1, 1), (1, 4), (0.5, 9)):
            for factor in (1.0, 2.0):
                truth = beta.ppf(GRID, a, b).clip(1e-9, 1 - 1e-9)
                stated = 1 / (1 + ((1 - truth) / truth) ** factor)
                worth = [float(np.mean((truth - (1 - truth) * u / (1 - u)) * (stated >= u))) for u in t]
                rng, held, width = np.random.default_rng(0), 0, 0.0
                for _ in range(n_draws):
                    p = rng.beta(a, b, n_rows).clip(1e-9, 1 - 1e-9)
                    y = rng.random(n_rows) < p
                    curve = decision_curve(y, 1 / (1 + ((1 - p) / p) ** factor))
                    held += bool(np.all((curve.low <= worth) & (worth <= curve.high)))
                    width += float(np.median(curve.high - curve.low))
                cells = [f"Beta({a:g}, {b:g})", "true" if factor == 1 else "too extreme", f"{n_rows:,}"]
                yield [*cells, f"{held / n_draws:.3f}", f"{width / n_draws:.3f}"]


def recall_table(n_draws: int) -> Iterator[list[str]]:
    """Ranges that hold the recall of the first k of the next list, drawn anew."""
    for n_rows, share in ((500, 0.1), (2000, 0.02), (2000, 0.2)):
        for law in (CHOSEN[1], CHOSEN[3], CHOSEN[4]):
            row = [str(law), f"{n_rows:,}", f"{100 * share:.0f} %"]
            for k in (n_rows // 100, n_rows // 20, n_rows // 5, n_rows // 2):
                rng, held = np.random.default_rng(0), 0

                def draw(rng=rng, law=law, n_rows=n_rows, share=share):
                    n_pos = max(rng.binomial(n_rows, share), 2)
                    return law.draw(rng, n_pos, n_rows - n_pos)

                for _ in range(n_draws):
                    y, s = draw()
                    _, low, high = NewDraw.of(Sample(s, y)).recall(k, n_rows, 0.95)
                    y, s = draw()
                    first = np.lexsort((rng.random(n_rows), -s))[:k]  # tied rows in random order
                    held += low - 1e-9 <= y[first].mean() * k / y.sum() <= high + 1e-9
                row.append(f"{held / n_draws:.3f}")
            yield row


HEADER = """Coverage of intervals for metrics, bands and recalls
====================================================

Written by ``make coverage``: {n} samples a cell ({half} of precision–recall bands, {sixth} of decision curves), nominal
level 95 %; near .95 the standard error of a figure is {error:.1f} points ({half_error:.1f} and {sixth_error:.1f}). The
laws of the scores are those of :doc:`coverage_laws`. A metric at k takes a tenth of the rows. "short" marks a
coverage below .93. Bands hold where the whole curve is inside. Limits that hold with few hits must be wide: where a
count is small, coverage near 1 is their price.
"""


def tables(n: int) -> Iterator[tuple[str, list[str], Iterator[list[str]]]]:
    names = ["scores", "sizes", "metric", "value", "coverage", "below", "above", "width", ""]
    yield "Metrics: interval(y, s, metric=…)", names, metric_table(n)
    yield "Size of compare(y, a, b, metric=…) at 5 %", ["metric", "100/100", "30/270", "20/500"], size_table(n)
    yield "Precision–recall bands", ["scores", "rows", "positive", "coverage", "mean width"], pr_table(n // 2)
    names = ["probabilities", "stated ones", "rows", "coverage", "median width"]
    yield "Decision curves", names, decision_table(n // 6)
    names = ["scores", "rows", "positive", "k = 1 %", "5 %", "20 %", "50 %"]
    yield "Recall of the first k of the next list", names, recall_table(n)


def main(n_draws: int = 600) -> None:
    sizes = {"": n_draws, "half_": n_draws // 2, "sixth_": n_draws // 6}
    errors = {f"{name}error": 100 * np.sqrt(0.05 * 0.95 / size) for name, size in sizes.items()}
    text = HEADER.format(n=n_draws, half=n_draws // 2, sixth=n_draws // 6, **errors)
    for title, names, rows in tables(n_draws):
        text += table(title, names, rows)
        TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
