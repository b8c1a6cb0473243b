"""M41: only the total of all shares says anything, and it says the sum.

What could leak: one party's noisy numbers, which carry a share of the noise only, to whoever holds
shares: the coordinator, and up to t parties with it. A missing share, a key used for two questions,
or a peer's key that is one's own would show them.
"""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.joint.masks import (
    NotAKey,
    SharesMissing,
    as_bytes,
    from_bytes,
    mask_of,
    masked,
    public_key_of,
    total_of,
)
from dpgov.privacy.joint.noise import MODULUS
from tests.examples import examples

_HALF = 2**62


def _privates(parties: int, seed: str = "") -> list[bytes]:
    return [sha256(f"{seed}{at}".encode()).digest() for at in range(parties)]


def _shares(
    values: Sequence[Sequence[int]], question: bytes = b"question", seed: str = ""
) -> list[list[int]]:
    privates = _privates(len(values), seed)
    keys = [public_key_of(private) for private in privates]
    return [
        masked(
            own,
            mask_of(private=private, place=at, keys=keys, question=question, cells=len(values[0])),
        )
        for at, (private, own) in enumerate(zip(privates, values, strict=True))
    ]


@examples(25)
@given(st.integers(3, 6), st.data())
def test_all_shares_add_up_to_the_sum_and_fewer_to_nothing_near_it(
    parties: int, data: st.DataObject
) -> None:
    """M41: whichever share is missing, or taken twice."""
    number = st.integers(-_HALF // parties, _HALF // parties)
    values = [data.draw(st.tuples(number, number)) for _ in range(parties)]
    shares = _shares(values)
    assert total_of(shares, parties) == [sum(cell) for cell in zip(*values, strict=True)]
    left_out = data.draw(st.integers(0, parties - 1))
    others = [share for at, share in enumerate(shares) if at != left_out]
    with pytest.raises(SharesMissing):
        total_of(others, parties)
    whole = [sum(cell) for cell in zip(*values, strict=True)]
    seen = total_of(others, parties - 1)
    for cell, number in enumerate(whole):
        assert abs(seen[cell] - (number - values[left_out][cell])) > 2**32


def test_a_share_is_uniform_whatever_it_hides() -> None:
    """M41: two neighbouring tables, many questions: the top byte of a share is as likely each."""
    for value in (1000, 1001):
        found = np.zeros(256)
        for at in range(200):
            share = _shares([[value] * 40, [5] * 40, [7] * 40], question=bytes([at, 1]))[0]
            found += np.bincount([number >> 56 for number in share], minlength=256)
        expected = found.sum() / 256
        # 255 degrees of freedom; 400 is passed with probability below 1e-7.
        assert ((found - expected) ** 2 / expected).sum() < 400


def test_what_a_coalition_sees_is_the_same_for_two_tables_with_one_sum() -> None:
    """M41: t parties take their own shares and masks away; of the other two the sum is left.

    Exactly: moving a row from one honest party to the other shifts the two shares by 1 and -1,
    which for a uniform mask of the pair is the same pair of random numbers.
    """
    privates = _privates(4)
    keys = [public_key_of(private) for private in privates]
    kept = [
        mask_of(private=privates[at], place=at, keys=keys, question=b"q", cells=1)[0]
        for at in (2, 3)
    ]
    for first, second in ((10, 20), (11, 19)):
        shares = _shares([[first], [second], [3], [4]], question=b"q")
        seen = sum(share[0] for share in shares[:2]) % MODULUS
        assert (seen + sum(kept)) % MODULUS == 30


def test_masks_of_two_questions_have_nothing_in_common() -> None:
    """M41: else the difference of two answers of one party would be open."""
    first = _shares([[1] * 500, [2] * 500, [3] * 500], question=b"a")[0]
    second = _shares([[1] * 500, [2] * 500, [3] * 500], question=b"b")[0]
    same = _shares([[1] * 500, [2] * 500, [3] * 500], question=b"a")[0]
    assert first == same
    assert not {one - two for one, two in zip(first, second, strict=True)} & {0}
    assert len(set(first)) == 500


def test_many_cells_take_several_blocks_and_never_one_twice() -> None:
    shares = _shares([[0] * 2500, [0] * 2500, [0] * 2500])
    assert total_of(shares, 3) == [0] * 2500
    assert len(set(shares[0])) == 2500


def test_keys_that_are_no_parties_keys_are_refused() -> None:
    """M41: a party whose peer is itself, a key that is not its own, one that agrees on zero."""
    privates = _privates(3)
    keys = [public_key_of(private) for private in privates]
    for wrong, place in (
        ([keys[0], keys[0], keys[2]], 0),
        (keys, 1),
        (keys, 3),
        ([keys[0], bytes(32), keys[2]], 0),
        ([keys[0], b"short", keys[2]], 0),
    ):
        with pytest.raises(NotAKey):
            mask_of(private=privates[0], place=place, keys=wrong, question=b"q", cells=1)
    with pytest.raises(NotAKey):
        mask_of(private=privates[0], place=0, keys=keys, question=b"", cells=1)


def test_shares_are_stored_in_one_size() -> None:
    assert from_bytes(as_bytes([0, MODULUS - 1, 5])) == [0, MODULUS - 1, 5]
    assert len(as_bytes([0])) == len(as_bytes([MODULUS - 1]))
    with pytest.raises(SharesMissing):
        from_bytes(b"123")
    with pytest.raises(SharesMissing):
        total_of([[1], [2], [MODULUS]], 3)
