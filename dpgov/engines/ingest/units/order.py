"""The rows of whole units in their order, see `units`: by `k`, `i` and `h`, then by the codes.

What `h` is made of is put aside, and hashed here where it decides: for units with several rows.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.ingest.recognised.siphash import Words

Places = npt.NDArray[np.int64]
Hash = Callable[[Words], Words]
"""Makes the hashes that rows are ordered by out of what was put aside of them."""

# Of a word, looked at together.
_DIGIT = 16


def hashed(rows: pa.Table, make: Hash) -> pa.Table:
    """The same rows with the `h` that they are ordered by."""
    own = pa.array(make(rows["h"].to_numpy()))
    return rows.set_column(rows.schema.get_field_index("h"), "h", own)


def in_order(rows: pa.Table, names: Sequence[str], make: Hash) -> Places:
    """The places of the rows in the order of `names`: k, i, h and the codes."""
    order = _by_words(rows["k"].to_numpy())
    same = _as_before(rows["k"].to_numpy()[order])
    several = same.copy()
    several[:-1] |= same[1:]
    at = np.flatnonzero(several)
    if len(at):
        order[at] = _within_units(rows, names, make, order[at], same[at])
    return order


def _by_words(words: Words) -> Places:
    """Their places in ascending order: digit by digit, which takes half as long as to compare."""
    order: Places = np.argsort(words.astype(np.uint16), kind="stable")
    for bits in range(_DIGIT, 64, _DIGIT):
        digits = (words >> np.uint64(bits)).astype(np.uint16)
        order = order[np.argsort(digits[order], kind="stable")]
    return order


def _within_units(
    rows: pa.Table, names: Sequence[str], make: Hash, order: Places, same: npt.NDArray[np.bool_]
) -> Places:
    """The same places, which are in the order of their `k`; `same` as the one before it is each.

    By sorting words. That leaves open what the last bits of a row's hash decide, what the codes
    decide where hashes are the same, and what tells apart units of one hash: there is hardly ever
    any of it, and then the rows of those units are sorted by everything.
    """
    units = np.cumsum(~same) - 1
    bits = np.uint64(len(rows).bit_length())
    hashes = make(rows["h"].to_numpy()[order])
    words = (units.astype(np.uint64) << (np.uint64(64) - bits)) | (hashes >> bits)
    by_hash = np.argsort(words)
    order, words = order[by_hash], words[by_hash]
    tied = np.flatnonzero(_as_before(words))
    open_ = np.zeros(len(order), np.bool_)
    open_[units[same & ~_as_before(rows["i"].to_numpy()[order])]] = True
    if not _are_same(rows, order[tied], order[tied - 1]):
        open_[units[tied]] = True
    return _by_everything(rows, names, make, order, np.flatnonzero(open_[units]))


def _are_same(rows: pa.Table, ones: Places, others: Places) -> bool:
    """Whether each row is the same as the other one; a column at a time, as they may be many."""
    one, other = pa.array(ones), pa.array(others)
    return all(column.take(one).equals(column.take(other)) for column in rows.columns)


def _by_everything(
    rows: pa.Table, names: Sequence[str], make: Hash, order: Places, at: Places
) -> Places:
    """The order, but at these places, which are those of whole units, sorted by all columns."""
    if len(at):
        keys = [(name, "ascending") for name in names]
        chosen = hashed(rows.take(pa.array(order[at])), make)
        order[at] = order[at][pc.sort_indices(chosen, sort_keys=keys).to_numpy()]
    return order


def _as_before(words: Words) -> npt.NDArray[np.bool_]:
    """Where a word is the same as the one before it."""
    same = np.zeros(len(words), np.bool_)
    same[1:] = words[1:] == words[:-1]
    return same
