"""The small functions that compiled code is made of, against their plain Python forms."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError
from numpy.typing import NDArray

from eck_env.compiled import borrowed, entry_point, lowest_bit, popcount, spread_bits

WORDS = [0, 1, 0b1011, 2**35, 2**38 - 1, 0x5A5A5A5A5A5A5A5A, 2**63 - 1]


@numba.njit  # type: ignore[untyped-decorator]
def compiled_counts(bits: int) -> tuple[int, int]:
    return popcount(bits), lowest_bit(bits)


@pytest.mark.parametrize("bits", WORDS[1:])
def test_bits_are_counted_and_found_as_in_python(bits: int) -> None:
    assert (
        compiled_counts(bits) == (popcount(bits), lowest_bit(bits)) == (bin(bits).count("1"), bin(bits)[::-1].find("1"))
    )


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 3, 14, 35, 38, 63, 64])
def test_bits_are_spread_as_in_python_and_no_further(count: int, dtype: Any) -> None:
    @numba.njit  # type: ignore[untyped-decorator]
    def spread(bits: int, out: NDArray[Any]) -> None:
        spread_bits(bits, count, out[3:])

    for bits in WORDS:
        out, plain = np.full(70, 7, dtype), np.full(70, 7, dtype)
        spread(bits, out)
        spread_bits(bits, count, plain[3:])
        assert out.tolist() == plain.tolist()
        assert plain[3 : 3 + count].tolist() == [bits >> place & 1 for place in range(count)]
        assert set(plain[:3].tolist() + plain[3 + count :].tolist()) == {7}


def test_spreading_needs_a_constant_count_and_a_contiguous_array() -> None:
    @numba.njit  # type: ignore[untyped-decorator]
    def spread(bits: int, count: int, out: NDArray[Any]) -> None:
        spread_bits(bits, count, out)

    with pytest.raises(TypingError, match="constant count and a contiguous array"):
        spread(5, 3, np.zeros(8, np.int8))


@entry_point
def add_up(table: tuple[Any, ...]) -> float:
    table = borrowed(table)
    table[0][0] += 1
    return float(table[0].sum() + table[2].sum())


def test_borrowed_arrays_are_the_same_arrays_and_stay_their_owners() -> None:
    first, second = np.ones(3), np.ones((2, 2))
    assert add_up((first, 5, second)) == 8.0
    assert first.tolist() == [2.0, 1.0, 1.0]
    assert borrowed(first) is first
