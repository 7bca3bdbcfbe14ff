"""SplitMix64 against its published recurrence in Python's integers."""

import numpy as np
import pytest

from podium._fast.draws import GOLDEN, splitmix

MASK = 2**64 - 1


def mixed_slowly(key, start, n_times):
    z = (key + start) & MASK
    for time in range(n_times):
        if time:
            z = (z + int(GOLDEN)) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        z ^= z >> 31
    return z


@pytest.mark.parametrize("n_times", [1, 2])
def test_keys_are_mixed_as_by_whole_numbers_of_any_size(n_times):
    keys = [0, 1, 2**63, MASK, 123456789]
    got = splitmix(np.array(keys, np.uint64), np.uint64(7 * int(GOLDEN) & MASK), n_times)
    assert got.tolist() == [mixed_slowly(key, 7 * int(GOLDEN), n_times) for key in keys]


def test_the_first_numbers_of_the_generator_with_seed_zero():
    # As java.util.SplittableRandom(0) begins; printed in many test suites of the generator.
    got = splitmix(np.arange(3, dtype=np.uint64) * GOLDEN, GOLDEN, 1)
    assert [hex(value) for value in got.tolist()] == ["0xe220a8397b1dcdaf", "0x6e789e6aa1b965f4", "0x6c45d188009454f"]
