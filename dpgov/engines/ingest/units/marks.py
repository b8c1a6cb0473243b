"""Reads whose each row is, and in which order its unit's rows come, see `units`."""

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from dpgov.engines.ingest.cells.column import Cells
from dpgov.engines.ingest.recognised.hashes import CellHashes, NameHashes
from dpgov.engines.ingest.recognised.siphash import SipKey, Words, siphash
from dpgov.engines.ingest.request import EarlierFile
from dpgov.engines.keys import derived


@dataclass(frozen=True, slots=True)
class UnitColumn:
    """The column that names the unit, and the number of the stored column that divides units.

    Of a unit with rows in several parts of `partition` those in the part where an earlier file has
    it stay; of a unit that is new, those in the part of its first row.
    """

    place: int
    partition: int | None = None
    earlier: tuple[EarlierFile, ...] = ()


class UnitMarks:
    """Reads the rows of a file, batch by batch, into codes with `k`, `i` and `h`, see `units`."""

    def __init__(self, column: UnitColumn, key: bytes) -> None:
        self._column = column
        self._key = key
        self._ids = CellHashes(key, "unit")
        self._order_key = SipKey.of(derived(key, "order"))

    def names(self, place: int, cells: Cells) -> NameHashes | None:
        """Of each row whose it is, by the column that names the unit, declared or not."""
        if place != self._column.place:
            return None
        known, hashes, apart = self._ids.of_names(cells)
        return NameHashes(cells.spread(known), cells.spread(hashes), cells.spread(apart))

    def mixed(self, name: str, cells: Cells, hashes: Words) -> Words:
        """What a declared column, with its distinct cells' hashes, adds to the order of the rows.

        Hashes under a key that the name makes, to be summed: the columns' order is no matter.
        """
        own = SipKey.of(derived(self._key, f"order of {name}"))
        return cells.spread(cells.once("order", lambda: siphash(own, hashes)))

    def order(self, sums: Words) -> Words:
        """The hashes that the rows of a unit are ordered by, of what `table` has in `h`."""
        return siphash(self._order_key, sums)

    def table(
        self, stored: dict[str, pa.Array], names: NameHashes, mixed: Iterable[Words]
    ) -> pa.Table:
        """The batch's codes and marks, without the rows that name no unit.

        `names` are those of the rows, `mixed` is what each declared column adds to the order.
        """
        sums = names.hashes.copy()
        for words in mixed:
            sums += words
        marks = {"k": names.hashes, "i": names.apart, "h": sums}
        rows = pa.table(stored | {name: pa.array(words) for name, words in marks.items()})
        return rows if names.known.all() else rows.filter(pa.array(names.known))
