"""The declared columns and unit, as JSON between the caller and the child."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from dpgov.privacy.plan.calendar import DateStep
from dpgov.privacy.plan.formula import formula_from
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DateDomain,
    MissingRule,
    NumericDomain,
)


@dataclass(frozen=True, slots=True)
class EarlierFile:
    """A stored file of the same budget, which says in what part each of its units lies.

    `column` is the number of its partition column, `codes` what the new file calls each of its
    categories: a code, or ELSEWHERE. Every other value there is in the part of everything else.
    """

    path: str
    column: int
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Before:
    """A stored file whose rows come first, when a new one holds only what is new.

    `columns` says for each declared column of the new file which one it is there, and the code of
    everything else there, if it holds categories: new ones may have come between.
    """

    path: str
    columns: tuple[tuple[int, int | None], ...]

    def as_json(self) -> dict[str, Any]:
        """For the child."""
        return asdict(self)


def other_of(spec: ColumnSpec) -> int | None:
    """The code of everything else in a column of categories, as `Before` has it."""
    return spec.domain.other if isinstance(spec.domain, CategoryDomain) else None


def before_of(item: dict[str, Any] | None) -> Before | None:
    """That again."""
    if item is None:
        return None
    columns = ((int(place), other) for place, other in item["columns"])
    return Before(item["path"], tuple(columns))


@dataclass(frozen=True, slots=True)
class Join:
    """Columns of a public table that go to every row whose `key` is the `public_key` there.

    `path` is the public table's file and `reading` how it is read; `columns` are those taken.
    """

    path: str
    reading: dict[str, Any]
    key: str
    public_key: str
    columns: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """For the child."""
        return asdict(self)


def join_of(item: dict[str, Any] | None) -> Join | None:
    """That again."""
    return None if item is None else Join(**{**item, "columns": tuple(item["columns"])})


# How parts without a code of their own are called.
EVERYTHING_ELSE, ELSEWHERE = -1, -2


@dataclass(frozen=True, slots=True)
class UnitNames:
    """The column that names the privacy unit, and the partition column if there is one.

    `earlier` are the files that entered the same budget before, oldest first: a unit stays in the
    part that the first of them gave it. `max_rows` rows of each unit are counted in cubes.
    """

    private_id: str
    partition: str = ""
    earlier: tuple[EarlierFile, ...] = ()
    max_rows: int = 1

    def as_json(self) -> dict[str, Any]:
        """For the child."""
        return asdict(self)


def unit_of(item: dict[str, Any] | None) -> UnitNames | None:
    """The names again."""
    if item is None:
        return None
    earlier = (
        EarlierFile(one["path"], one["column"], tuple(one["codes"])) for one in item["earlier"]
    )
    return UnitNames(item["private_id"], item["partition"], tuple(earlier), item["max_rows"])


def columns_as_json(columns: Iterable[ColumnSpec]) -> list[dict[str, Any]]:
    """What the child needs to know of each column."""
    return [
        {
            "name": spec.name,
            "domain": _domain_as_json(spec.domain),
            "missing": spec.missing.value,
            "impute_code": spec.impute_code,
            "formula": None if spec.formula is None else spec.formula.as_json(),
        }
        for spec in columns
    ]


def _domain_as_json(domain: NumericDomain | CategoryDomain) -> dict[str, Any]:
    if isinstance(domain, CategoryDomain):
        return {"categories": list(domain.categories)}
    if isinstance(domain, DateDomain):
        return {
            "top": domain.top,
            "unit": domain.unit.value,
            "first": domain.first,
            "layout": domain.layout,
            "zone": domain.zone,
        }
    return {name: str(getattr(domain, name)) for name in ("lower", "upper", "step")}


def columns_of(items: Iterable[dict[str, Any]]) -> tuple[ColumnSpec, ...]:
    """The columns again; what was checked before it was sent is not checked again."""
    return tuple(
        ColumnSpec(
            item["name"],
            _domain_of(item["domain"]),
            MissingRule(item["missing"]),
            item["impute_code"],
            formula_from(item["formula"]),
        )
        for item in items
    )


def _domain_of(item: dict[str, Any]) -> NumericDomain | CategoryDomain:
    if "categories" in item:
        return CategoryDomain(tuple(item["categories"]))
    if "unit" in item:
        ends = Decimal(0), Decimal(item["top"]), Decimal(1)
        return DateDomain(
            *ends, DateStep(item["unit"]), item["first"], item["layout"], item["zone"]
        )
    return NumericDomain(Decimal(item["lower"]), Decimal(item["upper"]), Decimal(item["step"]))
