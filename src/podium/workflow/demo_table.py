"""The table of the demonstration: made-up loans, a few of which default for reasons that can be learned."""

from __future__ import annotations

import numpy as np
import pandas as pd

_PURPOSES = ("car", "furniture", "education", "business", "repairs")
_RISK_OF_PURPOSE = (0.0, 0.2, -0.3, 0.8, 0.3)


def demo_csv(n_rows: int = 6000, seed: int = 7) -> str:
    """CSV text with numbers, text, missing values and an identifier."""
    rng = np.random.default_rng(seed)
    income = rng.lognormal(10.3, 0.5, n_rows)
    amount = rng.lognormal(8.8, 0.7, n_rows)
    age = rng.integers(19, 75, n_rows)
    years_employed = np.minimum(rng.exponential(6, n_rows), age - 18)
    late_payments = rng.poisson(0.6, n_rows)
    purpose = rng.integers(len(_PURPOSES), size=n_rows)
    burden = np.log(amount / income)
    risk = 1.1 * burden + 0.7 * late_payments - 0.12 * years_employed + np.take(_RISK_OF_PURPOSE, purpose)
    risk += 1.5 * (age < 25) * (burden > -1.2)  # young and heavily burdened: no straight line shows it
    defaulted = risk + rng.logistic(size=n_rows) > np.quantile(risk, 0.93) + 0.9
    table = pd.DataFrame(
        {
            "loan": [f"L{number:05d}" for number in range(n_rows)],
            "income": np.where(rng.random(n_rows) < 0.06, np.nan, income.round()),
            "amount": amount.round(),
            "age": age,
            "years_employed": years_employed.round(1),
            "late_payments": late_payments,
            "purpose": np.take(_PURPOSES, purpose),
            "defaulted": np.where(defaulted, "yes", "no"),
        }
    )
    return table.to_csv(index=False, lineterminator="\n")
