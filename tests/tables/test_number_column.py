import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from podium.tables import Encoder


def test_a_normal_column_is_encoded_to_unit_standard_deviation():
    quantiles = norm.ppf((np.arange(2001) + 0.5) / 2001)
    frame = pd.DataFrame({"x": 40 + 7 * quantiles})
    encoder = Encoder.fit(frame, np.arange(len(frame)), {"x": "number"})
    z = encoder.encode(frame)[:, 0]
    linear = np.abs(quantiles) < 2.9
    assert z[linear] == pytest.approx(quantiles[linear], rel=2e-3, abs=1e-9)
