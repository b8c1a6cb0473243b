"""The declared columns and unit, as JSON between the caller and the child."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dpgov.privacy.schema import CategoryDomain, ColumnSpec, MissingRule, NumericDomain


@dataclass(frozen=True, slots=True)
class UnitNames:
    """The column that names the privacy unit, and the partition column if there is one."""

    private_id: str
    partition: str = ""

    def as_json(self) -> dict[str, str]:
        """For the child."""
        return {"private_id": self.private_id, "partition": self.partition}


def unit_of(item: dict[str, str] | None) -> UnitNames | None:
    """The names again."""
    return None if item is None else UnitNames(**item)


def columns_as_json(columns: Iterable[ColumnSpec]) -> list[dict[str, Any]]:
    """What the child needs to know of each column."""
    return [
        {
            "name": spec.name,
            "domain": _domain_as_json(spec.domain),
            "missing": spec.missing.value,
            "impute_code": spec.impute_code,
        }
        for spec in columns
    ]


def _domain_as_json(domain: NumericDomain | CategoryDomain) -> dict[str, Any]:
    if isinstance(domain, CategoryDomain):
        return {"categories": list(domain.categories)}
    return {name: str(getattr(domain, name)) for name in ("lower", "upper", "step")}


def columns_of(items: Iterable[dict[str, Any]]) -> tuple[ColumnSpec, ...]:
    """The columns again; what was checked before it was sent is not checked again."""
    return tuple(
        ColumnSpec(
            item["name"],
            _domain_of(item["domain"]),
            MissingRule(item["missing"]),
            item["impute_code"],
        )
        for item in items
    )


def _domain_of(item: dict[str, Any]) -> NumericDomain | CategoryDomain:
    if "categories" in item:
        return CategoryDomain(tuple(item["categories"]))
    return NumericDomain(Decimal(item["lower"]), Decimal(item["upper"]), Decimal(item["step"]))
