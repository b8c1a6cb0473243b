"""M51: a file in storage can be neither read, changed, moved nor recognised by whoever keeps it."""

import io
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.datasets.store.sealing import PIECE, SALT_BYTES, Damaged, Sealer, padded

KEY = b"k" * 32
OURS, THEIRS = UUID(int=1), UUID(int=2)
SALT = b"s" * SALT_BYTES
SIZES = st.sampled_from([0, 1, 100, PIECE - 9, PIECE - 8, PIECE, PIECE + 1, 3 * PIECE + 17])


def sealed(content: bytes, tenant: UUID = OURS, salt: bytes = SALT) -> tuple[str, bytes]:
    sealer, stored = Sealer(KEY, tenant), io.BytesIO()
    name = sealer.name(salt, io.BytesIO(content))
    sealer.seal(salt, name, io.BytesIO(content), stored)
    return name, stored.getvalue()


def opened(name: str, stored: bytes, tenant: UUID = OURS, key: bytes = KEY) -> bytes:
    found = io.BytesIO()
    Sealer(key, tenant).open(name, io.BytesIO(stored), found)
    return found.getvalue()


@given(SIZES, st.binary(min_size=1, max_size=40))
def test_a_file_comes_back_as_it_was(size: int, seed: bytes) -> None:
    """M51: at every border of a piece."""
    content = (seed * (size // len(seed) + 1))[:size]
    name, stored = sealed(content)
    assert opened(name, stored) == content
    assert len(stored) < padded(size + 8) + 200 + 16 * (size // PIECE + 2)


@given(SIZES, st.integers(min_value=0), st.integers(1, 255))
def test_a_changed_byte_anywhere_is_noticed(size: int, place: int, change: int) -> None:
    """M51: head, salt, any piece, any tag."""
    name, stored = sealed(b"x" * size)
    harmed = bytearray(stored)
    harmed[place % len(harmed)] ^= change
    with pytest.raises(Damaged):
        opened(name, bytes(harmed))


def pieces_of(stored: bytes) -> tuple[bytes, list[bytes]]:
    head, rest, whole = stored[:48], stored[48:], PIECE + 16
    return head, [rest[at : at + whole] for at in range(0, len(rest), whole)]


def test_pieces_left_out_moved_repeated_or_cut_off_are_noticed() -> None:
    """M51: each tells its place, and whether it is the last."""
    name, stored = sealed(bytes(range(256)) * (3 * PIECE // 256))
    head, pieces = pieces_of(stored)
    assert len(pieces) == 4
    for harmed in (
        pieces[:-1],
        pieces[:1],
        [],
        [pieces[1], pieces[0], *pieces[2:]],
        [*pieces, pieces[-1]],
        [*pieces[:2], pieces[1], pieces[3]],
    ):
        with pytest.raises(Damaged):
            opened(name, head + b"".join(harmed))


def test_a_file_under_another_name_or_of_another_organisation_is_not_opened() -> None:
    """M51: the storage's operator gives one organisation another one's file."""
    name, stored = sealed(b"ours")
    other, theirs = sealed(b"theirs", THEIRS)
    for wanted, given_back, tenant in (
        (name, theirs, OURS),
        (other, stored, THEIRS),
        (name, stored, THEIRS),
        (other, stored, OURS),
    ):
        with pytest.raises(Damaged):
            opened(wanted, given_back, tenant)
    with pytest.raises(Damaged):
        opened(name, stored, key=b"other" + b"k" * 27)


def test_equal_files_have_nothing_in_common() -> None:
    """M51: not the name, not a piece, in one organisation and in two."""
    content = b"the same rows" * 10_000
    found = [
        sealed(content),
        sealed(content, THEIRS),
        sealed(content, OURS, b"t" * SALT_BYTES),
    ]
    assert len({name for name, _ in found}) == 3
    blocks = [{stored[48:][at : at + 16] for at in range(0, 4096, 16)} for _, stored in found]
    assert not blocks[0] & blocks[1] | blocks[0] & blocks[2] | blocks[1] & blocks[2]
    assert all(b"same rows" not in stored for _, stored in found)


@given(st.integers(0, 2**40))
def test_of_a_size_its_class_is_seen_and_costs_an_eighth_at_most(size: int) -> None:
    """M51: few classes, and the least one for every small file."""
    assert max(size, 2**16) <= padded(size) <= max(size, 2**16) * 9 // 8
    assert padded(padded(size)) == padded(size)


def test_files_of_about_one_size_look_alike() -> None:
    """M51: what differs by a few rows has the same length in storage."""
    assert len({len(sealed(b"x" * size)[1]) for size in range(100_000, 100_300, 50)}) == 1


def test_whatever_lies_under_a_name_is_the_content_that_it_is_of() -> None:
    """M51: also what was sealed under this name with our key, as a broken machine of ours might."""
    sealer = Sealer(KEY, OURS)
    name = sealer.name(SALT, io.BytesIO(b"recorded"))
    for content in (b"another", b"recorded and more", b"record", b""):
        stored = io.BytesIO()
        sealer.seal(SALT, name, io.BytesIO(content), stored)
        with pytest.raises(Damaged):
            opened(name, stored.getvalue())


def test_nothing_is_written_that_was_not_authenticated_in_its_place() -> None:
    """M51: not even into a draft: a piece counts under its name, in its place, as last or not."""
    content = b"".join(bytes([number]) * PIECE for number in range(1, 4))
    name, stored = sealed(content)
    head, pieces = pieces_of(stored)
    before = content[: PIECE - 8]
    for wanted, given_back, written in (
        ("0" * 64, pieces, b""),
        (name, [pieces[1], pieces[0], *pieces[2:]], b""),
        (name, [pieces[0], *pieces[2:]], before),
        (name, pieces[:2], before),
    ):
        found = io.BytesIO()
        with pytest.raises(Damaged):
            Sealer(KEY, OURS).open(wanted, io.BytesIO(head + b"".join(given_back)), found)
        assert found.getvalue() == written
