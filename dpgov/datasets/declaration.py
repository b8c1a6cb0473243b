"""What an owner declares about a dataset, as a value: one for the form, a command and a test."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from zoneinfo import available_timezones

from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import InvalidAmount, as_text, decimal_text
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.privacy.plan.computed.declared import MAX_COMPUTED, check_computed
from dpgov.privacy.plan.domains import (
    category_domain,
    check_capacity,
    column_spec,
    date_domain,
    numeric_domain,
)
from dpgov.privacy.plan.formula import formula_from
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    DateDomain,
    InvalidDomain,
    Neighbouring,
    PrivacyUnit,
)


@dataclass(frozen=True, slots=True)
class Declaration:
    """Everything public about a dataset to be; none of it is read from data.

    Limits are the owner's, in nano-ε: of all answers together (at `delta` when the schema's mode
    is zcdp, and None otherwise), and of one question.
    """

    name: str
    description: str
    schema: DatasetSchema
    limit_nano: int
    per_query_limit_nano: int
    partition_column: str = ""
    needs_allocation: bool = False
    named_only: bool = False
    delta: Decimal | None = None

    @property
    def currency(self) -> Currency:
        """What the dataset's losses are counted in."""
        return Currency(self.schema.mode, self.delta)

    def check(self, headers: list[str]) -> None:
        """Raises InvalidDomain, naming the field, for what could not be kept."""
        check_per_query(self.limit_nano, self.per_query_limit_nano)
        try:
            self.currency.limit_of(self.limit_nano)
        except InvalidAmount as problem:
            raise InvalidDomain("epsilon_limit", problem.args[0]) from problem
        check_columns(self.schema, headers)


def check_per_query(limit_nano: int, per_query_limit_nano: int) -> None:
    """Both in nano-ε. Raises InvalidDomain where one question could cost more than all of them."""
    if per_query_limit_nano > limit_nano:
        words = said(
            "One question cannot cost more than the limit, ε {limit}.", limit=as_text(limit_nano)
        )
        raise InvalidDomain("epsilon_per_query", words)


def check_live(declaration: Declaration) -> None:
    """A live table has no number of rows that stays, and says of nobody in which part they are.

    Raises InvalidDomain, naming the field.
    """
    if declaration.schema.neighbouring is Neighbouring.CHANGE_ONE:
        words = said(
            "The number of rows of a live table moves, so it cannot be public. Choose “add or "
            "remove”."
        )
        raise InvalidDomain("neighbouring", words)
    if declaration.partition_column:
        words = said(
            "The budget of a live table is not divided: who was in which part before is kept "
            "nowhere."
        )
        raise InvalidDomain("partition_column", words)


def check_columns(schema: DatasetSchema, headers: list[str]) -> None:
    """Raises InvalidDomain for columns that are not in the file or could not be kept exact."""
    if not schema.columns:
        raise InvalidDomain("columns", said("Declare at least one column that can be asked about."))
    for spec in schema.columns:
        if spec.formula is None and spec.name not in headers:
            raise InvalidDomain("columns", _no_column(spec.name))
    _check_private_id(schema, headers)
    _check_computed(schema, headers)
    check_capacity(schema)


def _check_private_id(schema: DatasetSchema, headers: list[str]) -> None:
    """The column that names people is in the file, and is never asked about itself."""
    name = schema.unit.private_id
    if name is None:
        return
    if name not in headers:
        raise InvalidDomain("private_id", _no_column(name))
    if schema.index_of(name) is not None:
        raise InvalidDomain(
            "private_id",
            said(
                "“{name}” says whose row it is, so nobody may ask about it: leave it out below.",
                name=name,
            ),
        )


def _check_computed(schema: DatasetSchema, headers: list[str]) -> None:
    """Computed columns come out of declared ones of the file, and out of nothing else."""
    of_file = {spec.name: spec for spec in schema.columns if spec.formula is None}
    computed = [spec for spec in schema.columns if spec.formula is not None]
    if len(computed) > MAX_COMPUTED:
        words = said("There can be at most {most} computed columns.", most=MAX_COMPUTED)
        raise InvalidDomain("columns", words)
    for spec in computed:
        if spec.name in headers:
            raise InvalidDomain("columns", name_taken(spec.name))
        check_computed(spec, of_file)
    names = [spec.name for spec in schema.columns]
    for name in names:
        if names.count(name) > 1:
            raise InvalidDomain("columns", name_taken(name))


def name_taken(name: str) -> str:
    """Two columns of one name could not be told apart in a question."""
    return said("There is a column “{name}” already: give it another name.", name=name)


def _no_column(name: str) -> str:
    return said("The file has no column “{name}”.", name=name)


def column_fields(spec: ColumnSpec) -> dict[str, Any]:
    """The declared column as the exact texts that are stored and shown."""
    rule: dict[str, Any] = {
        "name": spec.name,
        "missing": spec.missing.value,
        "impute": impute_text(spec),
        "formula": {} if spec.formula is None else spec.formula.as_json(),
    }
    if isinstance(spec.domain, CategoryDomain):
        return rule | {"kind": "category", "categories": list(spec.domain.categories)}
    domain = spec.domain
    if isinstance(domain, DateDomain):
        return rule | {
            "kind": "date",
            "lower": domain.text(0),
            "upper": domain.text(domain.top),
            "step": domain.unit.value,
            "date_format": domain.layout,
            "time_zone": domain.zone,
        }
    bounds = {name: decimal_text(getattr(domain, name)) for name in ("lower", "upper", "step")}
    return rule | {"kind": "number"} | bounds


def impute_text(spec: ColumnSpec) -> str:
    """The value that stands in for a missing one; empty when the rule is to drop."""
    if spec.impute_code is None:
        return ""
    if isinstance(spec.domain, CategoryDomain):
        return spec.domain.categories[spec.impute_code]
    if isinstance(spec.domain, DateDomain):
        return spec.domain.text(spec.impute_code)
    return decimal_text(spec.domain.lower + Decimal(spec.impute_code) * spec.domain.step)


def column_of(fields: dict[str, Any]) -> ColumnSpec:
    """The column again; raises InvalidDomain for fields that `column_fields` never made."""
    if fields["kind"] == "category":
        domain: Any = category_domain(fields["categories"])
    elif fields["kind"] == "date":
        names = ("lower", "upper", "step", "date_format", "time_zone")
        domain = dates_declared(*(fields[name] for name in names))
    else:
        domain = numeric_domain(*(fields[name] for name in ("lower", "upper", "step")))
    formula = formula_from(fields.get("formula"))
    return column_spec(fields["name"], domain, fields["missing"], fields["impute"], formula)


def dates_declared(
    lower: str, upper: str, step: str, date_format: str, time_zone: str
) -> DateDomain:
    """A domain of dates in a zone that there is; raises InvalidDomain."""
    zone = time_zone.strip() or "UTC"
    domain = date_domain(lower, upper, step, date_format, zone)
    if zone not in available_timezones():
        raise InvalidDomain("time_zone", said("There is no time zone “{zone}”.", zone=zone))
    return domain


def as_json(declaration: Declaration) -> dict[str, Any]:
    """The declaration as plain values, for a row that waits; exact, and `of_json` takes it back."""
    schema = declaration.schema
    return {
        "name": declaration.name,
        "description": declaration.description,
        "columns": [column_fields(spec) for spec in schema.columns],
        "unit": [
            schema.unit.private_id,
            schema.unit.max_rows_per_unit,
            schema.unit.max_groups_per_unit,
        ],
        "neighbouring": schema.neighbouring.value,
        "group_size": schema.group_size,
        "max_rows": schema.max_rows,
        "public_rows": schema.public_rows,
        "mode": schema.mode.value,
        "delta": None if declaration.delta is None else str(declaration.delta),
        "limit_nano": declaration.limit_nano,
        "per_query_limit_nano": declaration.per_query_limit_nano,
        "partition_column": declaration.partition_column,
        "needs_allocation": declaration.needs_allocation,
        "named_only": declaration.named_only,
    }


def of_json(kept: dict[str, Any]) -> Declaration:
    """The declaration that `as_json` was given."""
    return Declaration(
        name=kept["name"],
        description=kept["description"],
        schema=DatasetSchema(
            columns=tuple(map(column_of, kept["columns"])),
            unit=PrivacyUnit(*kept["unit"]),
            neighbouring=Neighbouring(kept["neighbouring"]),
            group_size=kept["group_size"],
            max_rows=kept["max_rows"],
            public_rows=kept["public_rows"],
            mode=Mode(kept["mode"]),
        ),
        limit_nano=kept["limit_nano"],
        per_query_limit_nano=kept["per_query_limit_nano"],
        partition_column=kept["partition_column"],
        needs_allocation=kept["needs_allocation"],
        named_only=kept.get("named_only", False),
        delta=None if kept["delta"] is None else Decimal(kept["delta"]),
    )
