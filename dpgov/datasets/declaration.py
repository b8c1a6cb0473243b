"""What an owner declares about a dataset, as a value: one for the form, a command and a test."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dpgov.privacy.budget import as_text
from dpgov.privacy.decimals import decimal_text
from dpgov.privacy.domains import check_capacity
from dpgov.privacy.schema import CategoryDomain, ColumnSpec, DatasetSchema, InvalidDomain


@dataclass(frozen=True, slots=True)
class Declaration:
    """Everything public about a dataset to be, limits in nano-ε; none of it is read from data."""

    name: str
    description: str
    schema: DatasetSchema
    limit_nano: int
    per_query_limit_nano: int

    def check(self, headers: list[str]) -> None:
        """Raises InvalidDomain, naming the field, for what could not be kept."""
        if not self.schema.columns:
            raise InvalidDomain("columns", "Declare at least one column that can be asked about.")
        for spec in self.schema.columns:
            if spec.name not in headers:
                raise InvalidDomain("columns", f"The file has no column “{spec.name}”.")
        if self.schema.unit.private_id is not None:
            raise InvalidDomain("unit", "Only rows can be the privacy unit at present.")
        if self.per_query_limit_nano > self.limit_nano:
            raise InvalidDomain(
                "epsilon_per_query",
                f"One question cannot cost more than the limit, ε {as_text(self.limit_nano)}.",
            )
        check_capacity(self.schema)


def column_fields(spec: ColumnSpec) -> dict[str, Any]:
    """The declared column as the exact texts that are stored and shown."""
    rule: dict[str, Any] = {
        "name": spec.name,
        "missing": spec.missing.value,
        "impute": impute_text(spec),
    }
    if isinstance(spec.domain, CategoryDomain):
        return rule | {"kind": "category", "categories": list(spec.domain.categories)}
    domain = spec.domain
    bounds = {name: decimal_text(getattr(domain, name)) for name in ("lower", "upper", "step")}
    return rule | {"kind": "number"} | bounds


def impute_text(spec: ColumnSpec) -> str:
    """The value that stands in for a missing one; empty when the rule is to drop."""
    if spec.impute_code is None:
        return ""
    if isinstance(spec.domain, CategoryDomain):
        return spec.domain.categories[spec.impute_code]
    return decimal_text(spec.domain.lower + Decimal(spec.impute_code) * spec.domain.step)
