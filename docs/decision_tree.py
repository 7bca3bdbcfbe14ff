"""Draws the tree of the page "How to choose": python docs/decision_tree.py writes decision_tree.svg beside it."""

from html import escape
from pathlib import Path

# Each question with its answers: what applies, what to use, and the section of the page that shows it.
TREE = {
    "What will you do with the list?": [
        ("Inspect the first k of N rows", "podium fit --budget k, phi.for_budget", "i-can-inspect-k-of-n"),
        ("Screen, missing hardly anyone", "shortlist.by_recall", "i-screen-patients"),
        ("Flag rows, with few false alarms", "shortlist.by_fdr, shortlist.by_fpr", "i-screen-patients"),
        ("Act wherever it pays", "inference.decision_curve", "i-screen-patients"),
        ("Compare two models", "inference.compare", "i-compare-two-models"),
    ],
    "What are your rows like?": [
        ("2 % positive or fewer", "power:3, early-recognition:20", "two-percent-positive-or-fewer"),
        ("The list is new every month", "podium fit --time, podium monitor", "the-list-is-new-every-month"),
        ("Rows repeat: patients, machines", "podium fit --group, groups=", "rows-repeat"),
        ("A billion of them", "rounds.count_list, Dask", "a-billion-rows"),
        ("None of these", "the defaults are right", ""),
    ],
    "Must the score be explained?": [
        ("As rules in words", "TreeRanker", ""),
        ("As a weighted sum", "LinearRanker", ""),
        ("Row by row is enough", "podium score --reasons 3", ""),
        ("No: the best list", "podium fit, StackedRanker", ""),
    ],
}
WIDTH, QUESTION, ANSWER, GAP = 400, 34, 46, 10


def drawing() -> str:
    """The tree from top to bottom, narrow enough for a phone."""
    parts, y = [], 2
    for number, (question, answers) in enumerate(TREE.items(), start=1):
        parts.append(f'<rect class="question" x="2" y="{y}" width="{WIDTH - 4}" height="{QUESTION}" rx="8"/>')
        parts.append(f'<text class="asked" x="16" y="{y + 22}">{number}. {escape(question)}</text>')
        y += QUESTION
        top = y
        for answer in answers:
            parts += _answer(*answer, y + GAP)
            y += GAP + ANSWER
        if number < len(TREE):  # on to the next question, whatever the answer
            y += 2 * GAP
            parts.append(f'<path class="arrow" marker-end="url(#tree-tip)" d="M18 {top} V{y}"/>')
        else:
            parts.append(f'<path class="arrow" d="M18 {top} V{y - ANSWER // 2}"/>')
            y += 2
    words = "; ".join(
        f"{question} " + ", ".join(f"{case.lower()}: {use}" for case, use, _ in answers)
        for question, answers in TREE.items()
    )
    return f"""\
<svg class="drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" font-size="15" \
role="group" aria-labelledby="tree-title tree-words">
<title id="tree-title">Three questions and what their answers call for</title>
<desc id="tree-words">{escape(words)}.</desc>
<defs><marker id="tree-tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">\
<path class="tip" d="M0 0 L10 5 L0 10 z"/></marker></defs>
{chr(10).join(parts)}
</svg>
"""


def _answer(case: str, use: str, section: str, y: int) -> list[str]:
    box = f'<rect class="box" x="38" y="{y}" width="{WIDTH - 40}" height="{ANSWER}" rx="8"/>'
    texts = f'<text x="50" y="{y + 19}">{escape(case)}</text><text class="use" x="50" y="{y + 37}">{escape(use)}</text>'
    inside = box + texts
    return [
        f'<path class="arrow" d="M18 {y + ANSWER // 2} H38"/>',
        f'<a href="#{section}">{inside}</a>' if section else f"<g>{inside}</g>",
    ]


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(drawing(), encoding="utf-8")
