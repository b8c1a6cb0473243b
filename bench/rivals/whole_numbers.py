"""Questions of ours about a table of whole numbers that are never missing, one row a person."""

from collections.abc import Mapping
from typing import Any

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit

Schemas = Mapping[Mode, DatasetSchema]


def schemas_of(bounds: Mapping[str, tuple[int, int]]) -> Schemas:
    """The table's declaration in each accounting mode, columns in the order of their bounds."""
    return {
        mode: DatasetSchema(
            columns=tuple(
                column_spec(name, numeric_domain(str(low), str(high), "1"), MissingRule.REQUIRE, "")
                for name, (low, high) in bounds.items()
            ),
            unit=PrivacyUnit(),
            neighbouring=Neighbouring.ADD_REMOVE,
            group_size=1,
            max_rows=100_000,
            mode=mode,
        )
        for mode in Mode
    }


def blueprint_of(asked: dict[str, Any], schemas: Schemas, mode: Mode, price: str) -> Blueprint:
    """The blueprint of one statistic at a price in ε or in ρ, as the mode counts."""
    unit = "epsilon" if mode is Mode.PURE else "rho"
    plan = parse_plan({"statistics": [asked], unit: price}, schemas[mode], dataset="adult")
    return prepare(plan, schemas[mode])
