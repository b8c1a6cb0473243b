"""The table that a scan reads, as a select from the owner's: c0..cN and, of units, u, k, r and n.

Only what a request looks at is made. OFFSET '0' keeps each step apart from what reads it: a code is
computed once for a row, and no condition of a scan reaches a cell before it is one. The quotes make
it a constant of the right type, without which the server plans for one processor.

A unit's rows are in the order of a keyed hash of the unit and of their declared codes, by the
columns' names, and where two hashes are the same, of the codes: rows that tie are the same to every
question. So what is kept of a unit depends on that unit's rows alone, whoever could find two rows
of one hash. It is another order than that of a file, whose hash this database has not: the integers
are the same wherever no unit has more rows than are kept of one. What is sorted of a row is its
unit, the hash and its codes in a few words, and what a scan reads is taken out of these again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from operator import index
from re import findall

from psycopg import sql

from dpgov.engines.categories import Reads, outputs_of, read_by
from dpgov.engines.live import NOBODY, WHOLE, CellKind, Word, columns_of, names_read, packed
from dpgov.engines.postgres.coding import (
    code_of,
    is_long,
    is_small,
    literal,
    text_of,
    trimmed,
    word_of,
)
from dpgov.engines.postgres.computed import computed_code
from dpgov.engines.scan import Scan
from dpgov.privacy.plan.bins import ROWS_OF_UNIT
from dpgov.privacy.plan.grouping import LARGEST_SIZE
from dpgov.privacy.plan.request import ExactRequest, MeasureKind, UnitBounds
from dpgov.privacy.plan.schema import ColumnSpec, PrivacyUnit

# The server's own hashes of 64 bits under a key: of what names a unit, and of a word.
_HASH_OF_UNIT = {
    **dict.fromkeys(WHOLE, "hashint8extended(u::bigint, $1::bigint)"),
    CellKind.TEXT: "hashtextextended(u, $1::bigint)",
    CellKind.UUID: "uuid_hash_extended(u, $1::bigint)",
}
_HASH_OF_WORD = "hashint8extended({word}, {key})"
_OF_UNITS = frozenset({MeasureKind.ROWS, MeasureKind.UNITS})


@dataclass(frozen=True, slots=True)
class Source:
    """A table of the owner's server and what is declared of it; `unit` names a column or none."""

    schema: str
    table: str
    columns: tuple[ColumnSpec, ...]
    unit: PrivacyUnit

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table that are read."""
        return names_read(self.columns, self.unit)


def data_sql(
    source: Source, kinds: Mapping[str, CellKind], scan: Scan, conditions: Sequence[str] = ()
) -> str:
    """The select, of rows whose cells meet the conditions, before what the scan asks of codes.

    Its parameter $1 is the key of the order of rows, where it has one.
    """
    request, reads = scan.request, read_by(scan, source.columns)
    bounds = request.bounds
    if bounds is None:
        return _coded(source, kinds, reads, conditions)
    unit = _HASH_OF_UNIT[kinds[source.unit.private_id or ""]]
    if reads.codes:
        return _kept(source, _in_words(source, kinds, reads), reads, scan, bounds, unit)
    return _without_columns(_sizes(source, kinds), request, bounds, unit)


def _kept(
    source: Source, rows: str, reads: Reads, scan: Scan, bounds: UnitBounds, unit: str
) -> str:
    """Of rows in words the first of each unit, with what the request reads of them."""
    request = scan.request
    words = packed(source.columns, reads.codes)
    names = [f"w{place}" for place in range(len(words))]
    marks = _marks(request, bounds, unit, "count(*) OVER (PARTITION BY u)")
    # Without a frame the server looks, for each row, how many after it are equal in the order.
    order = f"ORDER BY {_order(names, unit)} ROWS UNBOUNDED PRECEDING"
    place = f"row_number() OVER (PARTITION BY u {order}) AS place"
    outputs = ", ".join(["u", *names, *marks, place])
    ranked = f"SELECT {outputs} FROM ({rows}) AS named WHERE u IS NOT NULL"  # noqa: S608
    codes = _codes(source.columns, words, columns_of(request))
    outputs = ", ".join(["u", *codes, *(mark.split()[-1] for mark in marks), "place - 1 AS r"])
    most = index(bounds.max_rows)
    select = f"SELECT {outputs} FROM ({ranked}) AS ranked WHERE place <= {most}"  # noqa: S608
    return select if _reads_each_once(scan) else f"{select} OFFSET '0'"


def _reads_each_once(scan: Scan) -> bool:
    """Whether no code would be taken out of its word twice, if the scan were read as one select."""
    names = findall(r"\bc\d+\b", scan.sql)
    return len(names) == len(set(names))


def _sizes(source: Source, kinds: Mapping[str, CellKind]) -> str:
    """Each unit with the number of its rows. What names nobody is left out where it is one row."""
    outputs = f"{_unit_of(source, kinds)} AS u, count(*) AS size"
    sizes = f"SELECT {outputs} FROM {_table(source)} GROUP BY 1 OFFSET '0'"  # noqa: S608
    return f"({sizes}) AS sized WHERE u IS NOT NULL"


def _without_columns(sizes: str, request: ExactRequest, bounds: UnitBounds, unit: str) -> str:
    """All rows of a unit are the same to the scan: there are as many as it has, or may keep."""
    kept = f"least(size, {index(bounds.max_rows)})"
    marks = _marks(request, bounds, unit, "size")
    if counts_units(request):
        outputs = ", ".join(["u", *marks, f"{kept} AS many", "0 AS r"])
        return f"SELECT {outputs} FROM {sizes}"  # noqa: S608
    outputs = ", ".join(["u", *marks, f"generate_series(0, {kept} - 1) AS r"])
    return f"SELECT {outputs} FROM {sizes} OFFSET '0'"  # noqa: S608


def counts_units(request: ExactRequest) -> bool:
    """Whether a unit is one row of the select, with the number of its rows: see `POSTGRES_UNITS`.

    So it is where no two rows of a unit are told apart.
    """
    bounds = request.bounds
    if bounds is None or bounds.ranks_cells or request.curve or columns_of(request):
        return False
    return all(measure.kind in _OF_UNITS for measure in request.measures)


def has_key(request: ExactRequest) -> bool:
    """Whether the select of this request has a parameter."""
    bounds = request.bounds
    return bounds is not None and (bounds.max_groups is not None or bool(columns_of(request)))


def _coded(
    source: Source, kinds: Mapping[str, CellKind], reads: Reads, conditions: Sequence[str]
) -> str:
    """Codes and words of these columns and, if one is declared, the unit."""
    columns = source.columns
    made = {number for number in reads.codes if columns[number].formula is not None}
    outputs = outputs_of(reads, columns, kinds, cell=_cell, code=code_of, word=word_of)
    if source.unit.private_id is not None:
        outputs.append(f"{_unit_of(source, kinds)} AS u")
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    select = f"SELECT {', '.join(outputs)} FROM {_table(source)}{where} OFFSET '0'"  # noqa: S608
    if not made:
        return select
    more = ", ".join(f"{computed_code(number, columns)} AS c{number}" for number in sorted(made))
    return f"SELECT *, {more} FROM ({select}) AS coded OFFSET '0'"  # noqa: S608


def _table(source: Source) -> str:
    return f"{sql.Identifier(source.schema, source.table).as_string()} AS source"


def _unit_of(source: Source, kinds: Mapping[str, CellKind]) -> str:
    name = source.unit.private_id or ""
    return _unit(_cell(name), kinds[name])


def _cell(name: str) -> str:
    return sql.Identifier("source", name).as_string()


def _unit(cell: str, kind: CellKind) -> str:
    """The id as it is written, spaces at the ends aside; null where it names nobody.

    Of one too long to be trimmed a hash, so that there is always room beside it.
    """
    if kind is not CellKind.TEXT:
        return cell
    text = text_of(cell, kind)
    short = trimmed(text)
    nobody = ", ".join(map(literal, NOBODY))
    named = f"CASE WHEN lower({short}) IN ({nobody}) THEN NULL ELSE {short} END"
    hashed = f"encode(sha256(convert_to({text}, 'UTF8')), 'hex')"
    return f'CASE WHEN {is_long(text)} THEN {hashed} ELSE {named} END COLLATE "C"'


def _marks(request: ExactRequest, bounds: UnitBounds, unit: str, size: str) -> list[str]:
    found = []
    if bounds.max_groups is not None:
        found.append(f"{unit} & {2**63 - 1} AS k")
    if any(grouping.column == ROWS_OF_UNIT for grouping in request.groupings):
        found.append(f"least({size}, {LARGEST_SIZE}) AS n")
    return found


def _order(words: Iterable[str], hashed: str) -> str:
    """Of the rows of a unit: by the hash, then by what is hashed."""
    for word in words:
        hashed = _HASH_OF_WORD.format(word=word, key=hashed)
    return ", ".join([hashed, *words])


def _in_words(source: Source, kinds: Mapping[str, CellKind], reads: Reads) -> str:
    """Each row as its unit and the words of its codes, of which none is kept beside them."""
    columns = source.columns
    if any(columns[number].formula is not None for number in reads.codes):
        made, unit = {number: f"c{number}" for number in reads.codes}, "u"
        table = f"({_coded(source, kinds, reads, ())}) AS coded"
    else:
        made, unit = {}, _unit_of(source, kinds)
        for number in reads.codes:
            name = columns[number].name
            made[number] = code_of(_cell(name), kinds[name], columns[number])
        table = _table(source)
    words = [_word(word, made) for word in packed(columns, reads.codes)]
    outputs = ", ".join(f"{word} AS w{place}" for place, word in enumerate(words))
    return f"SELECT {unit} AS u, {outputs} FROM {table} OFFSET '0'"  # noqa: S608


def _word(word: Word, made: Mapping[int, str]) -> str:
    """The number whose digits these codes are, null before 0, as `live.row_words` has it.

    Summed up from what it is where all are null: no sum on the way is negative, or larger than it.
    """
    steps = _steps(word)
    least = sum(step for _, _, step in steps)
    terms = [f"coalesce({made[number]}, -1) * {step}::bigint" for number, _, step in steps]
    return " + ".join([f"{least}::bigint", *terms])


def _codes(columns: Sequence[ColumnSpec], words: Sequence[Word], read: Iterable[int]) -> list[str]:
    """These columns, taken out of the words, each of the type that `or_imputed` has for it."""
    found = {}
    for place, word in enumerate(words):
        for number, codes, step in _steps(word):
            kind = "int" if is_small(columns[number]) else "bigint"
            digit = f"w{place} / {step}::bigint % {codes}::bigint"
            found[number] = f"(nullif({digit}, 0) - 1)::{kind} AS c{number}"
    return [found[number] for number in sorted(read)]


def _steps(word: Word) -> list[tuple[int, int, int]]:
    """Each column of a word, how many codes it has, and what one of them is worth there."""
    rest = (prod(codes for _, codes in word[place + 1 :]) for place in range(len(word)))
    return [(number, codes, step) for (number, codes), step in zip(word, rest, strict=True)]
