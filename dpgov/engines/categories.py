"""What a question has to know of a category's text, where that is less than its code, row by row.

In a live table, looking a text up among categories is most of what its row costs. A scan that
groups by a category groups by words: short texts that have the code of the cell, looked up once
for each group. A scan that only asks for a condition gets one code for all that none tells apart.
Where rows of a unit are chosen by their codes, each has its own. Nothing here depends on a row.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dpgov.engines.dialect import Dialect
from dpgov.engines.live import SPACES, CellKind, columns_of, places_of
from dpgov.engines.scan import Scan
from dpgov.privacy.plan.request import AllOf, AnyOf, CodeFilter, ExactRequest, RowFilter
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec

# Longer texts are coded row by row: so many bytes are what a server may have to keep for a row of
# a column that is all different texts.
_LONGEST = 64


@dataclass(frozen=True, slots=True)
class Reads:
    """What a scan reads of each row: codes of some columns and words of others, by their numbers.

    `alike` has, for columns of which that is all that matters, what stands for each code.
    """

    codes: set[int]
    words: Mapping[int, CategoryDomain] = field(default_factory=dict)
    alike: Mapping[int, Sequence[int]] = field(default_factory=dict)


def names_of(domain: CategoryDomain, alike: Sequence[int] | None = None) -> dict[str, int]:
    """The texts that are a category as they stand, white space aside, and the code of each."""
    clean = {
        name: code for code, name in enumerate(domain.categories) if name == name.strip(SPACES)
    }
    clean.pop("", None)
    return {name: alike[code] for name, code in clean.items()} if alike else clean


def names_by_code(names: Mapping[str, int]) -> list[tuple[int, list[str]]]:
    """The names of each code, those of fewer names first."""
    found: dict[int, list[str]] = {}
    for name, code in names.items():
        found.setdefault(code, []).append(name)
    return sorted(found.items(), key=lambda item: len(item[1]))


def longest(domain: CategoryDomain) -> int:
    """The bytes of the longest of them."""
    return max((len(name.encode()) for name in names_of(domain)), default=0)


def word_case(
    text: str,
    domain: CategoryDomain,
    *,
    trimmed: Callable[[str], str],
    is_long: Callable[[str], str],
    literal: Callable[[str], str],
) -> str:
    """A text that has the code of this one, at most a byte longer than the longest category."""
    most, short = longest(domain), trimmed(text)
    no_category = literal("x" * (most + 1))
    return (
        f"CASE WHEN octet_length({text}) <= {most} THEN {text} "
        f"WHEN {is_long(text)} THEN {no_category} "
        f"WHEN octet_length({short}) <= {most} THEN {short} "
        f"WHEN {text} IS NOT NULL THEN {no_category} END"
    )


def words_in(
    request: ExactRequest, columns: Sequence[ColumnSpec], kinds: Mapping[str, CellKind]
) -> frozenset[int]:
    """The columns that this request may group by as words, by their numbers."""
    grouped = [grouping.column for grouping in request.groupings if grouping.column >= 0]
    if request.bounds is not None:
        return frozenset()
    return frozenset(
        number
        for number in grouped
        if grouped.count(number) == 1
        and number < len(columns)
        and kinds.get(columns[number].name) is CellKind.TEXT
        and _has_short_names(columns[number])
    )


def _has_short_names(spec: ColumnSpec) -> bool:
    domain = spec.domain
    if spec.formula is not None or not isinstance(domain, CategoryDomain):
        return False
    return longest(domain) <= _LONGEST


def with_codes(scan: Scan, code_of: Callable[[str, int], str], dialect: Dialect) -> str:
    """The statement of a scan, with codes where it groups by words: of a word, of a column.

    Words of one code are one row of what it returns: there are as many as codes that there may be,
    however many different texts somebody has.
    """
    if not scan.words:
        return scan.sql
    names = [f"k{place}" for place in range(len(scan.keys))]
    outputs = [
        name if key.word is None else code_of(name, key.word)
        for name, key in zip(names, scan.keys, strict=True)
    ]
    measures = [f"m{place}" for place in range(len(scan.request.measures))]
    totals = [scan.added_again(name, dialect) for name in measures]
    listed, found = ", ".join([*outputs, *totals]), ", ".join([*names, *measures])
    places = ", ".join(str(place + 1) for place in range(len(names)))
    return f"SELECT {listed} FROM ({scan.sql}) AS found({found}) GROUP BY {places}"  # noqa: S608


def read_by(scan: Scan, columns: Sequence[ColumnSpec]) -> Reads:
    """What a scan reads; with units every code, if it reads one: rows are chosen by all of them."""
    request = scan.request
    codes = columns_of(request, scan.words)
    if request.bounds is not None:
        return Reads(set(range(len(columns))) if codes else codes)
    categories = {
        number: spec.domain
        for number, spec in enumerate(columns)
        if isinstance(spec.domain, CategoryDomain)
    }
    words = {number: categories[number] for number in sorted(scan.words)}
    others = columns_of(replace(request, filters=()), scan.words)
    for number in codes:
        others.update(places_of(number, columns))
    alike = {
        number: _representatives(categories[number], [*_of_column(request.filters, number)])
        for number in (codes & categories.keys()) - others
    }
    return Reads(codes, words, alike)


def outputs_of(
    reads: Reads,
    columns: Sequence[ColumnSpec],
    kinds: Mapping[str, CellKind],
    *,
    cell: Callable[[str], str],
    code: Callable[[str, CellKind, ColumnSpec, Sequence[int] | None], str],
    word: Callable[[str, CategoryDomain], str],
) -> list[str]:
    """What is selected of a row in an engine's SQL: codes as c0..cN and words as t0..tN.

    Of a computed column the codes that it is made of.
    """
    plain = {number for number in reads.codes if columns[number].formula is None}
    plain.update(*(places_of(number, columns) for number in reads.codes))
    outputs = []
    for number in sorted(plain):
        spec = columns[number]
        made = code(cell(spec.name), kinds[spec.name], spec, reads.alike.get(number))
        outputs.append(f"{made} AS c{number}")
    for number, domain in reads.words.items():
        outputs.append(f"{word(cell(columns[number].name), domain)} AS t{number}")
    return outputs


def _representatives(domain: CategoryDomain, conditions: Sequence[CodeFilter]) -> list[int]:
    first: dict[tuple[bool, ...], int] = {}
    return [
        first.setdefault(tuple(_passes(code, each) for each in conditions), code)
        for code in range(domain.other + 1)
    ]


def _passes(code: int, condition: CodeFilter) -> bool:
    return any(low <= code <= high for low, high in condition.ranges)


def _of_column(filters: Iterable[RowFilter], number: int) -> Iterator[CodeFilter]:
    for item in filters:
        if isinstance(item, AllOf | AnyOf):
            yield from _of_column(item.members, number)
        elif item.column == number:
            yield item
