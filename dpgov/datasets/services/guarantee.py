"""One budget has one meaning: what datasets that share it must have in common."""

from decimal import Decimal

from dpgov.budgets.words import promise_of
from dpgov.datasets.models import Column, Dataset
from dpgov.datasets.selectors import current_version
from dpgov.language.said import said
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.privacy.plan.schema import CategoryDomain, DatasetSchema, InvalidDomain, Neighbouring

# The line of the values that were not declared.
OTHER = "other"


def partition_parts(schema: DatasetSchema, column: str) -> list[str]:
    """The declared categories of the partition column, then one part for everything else.

    Parts are of a column of the file: what divides a budget for good is not computed.
    """
    place = schema.index_of(column)
    spec = None if place is None else schema.columns[place]
    domain = None if spec is None or spec.formula is not None else spec.domain
    if not isinstance(domain, CategoryDomain):
        raise InvalidDomain(
            "partition_column",
            said(
                "“{column}” must be one of the columns below, declared as a category.",
                column=column,
            ),
        )
    return [*domain.categories, _other(domain.categories)]


def _other(categories: tuple[str, ...]) -> str:
    name = OTHER
    while name in categories:
        name = f"({name})"
    return name


def protected(schema: DatasetSchema) -> str:
    """What one unit of loss is about: it goes with a budget for ever."""
    removed = schema.neighbouring is Neighbouring.ADD_REMOVE
    return promise_of(schema.group_size, removed=removed)


def check_same_guarantee(
    earlier: Dataset,
    schema: DatasetSchema,
    *,
    partition_column: str,
    delta: Decimal | None = None,
) -> None:
    """Raises InvalidDomain: losses under two relations, or of other parts, cannot be added up.

    `delta` is what was declared now, if anything; a held dataset brings its own currency.
    """
    _check_same_currency(earlier, Currency(schema.mode, delta))
    _check_same_unit(earlier, schema)
    for field in ("neighbouring", "group_size"):
        before = getattr(earlier, field)
        if before != getattr(schema, field):
            raise InvalidDomain(field, _differs(earlier, said("with {value} here", value=before)))
    if earlier.partition_column and earlier.partition_column != partition_column:
        before = said("with “{value}” here", value=earlier.partition_column)
        raise InvalidDomain("partition_column", _differs(earlier, before))
    if partition_column and not earlier.partition_column:
        before = said("without a partition column")
        raise InvalidDomain("partition_column", _differs(earlier, before))
    if partition_column:
        check_same_parts(earlier, schema)


def _check_same_unit(earlier: Dataset, schema: DatasetSchema) -> None:
    """How many rows of a unit are used may differ: each loss is stated for whole units."""
    before, named = earlier.private_id, schema.unit.private_id or ""
    if bool(before) != bool(named):
        words = said("with each row as one person")
        if before:
            words = said("with a column that names people")
        raise InvalidDomain("unit", _differs(earlier, words))
    if before != named:
        words = said("with people named by “{column}”", column=before)
        raise InvalidDomain("private_id", _differs(earlier, words))


def _check_same_currency(earlier: Dataset, declared: Currency) -> None:
    before = earlier.budget.currency
    if before.mode is not declared.mode:
        words = said("counting ρ towards an (ε, δ)")
        if before.mode is Mode.PURE:
            words = said("counting pure ε")
        raise InvalidDomain("mode", _differs(earlier, words))
    if before.delta != declared.delta:
        words = said("with δ {delta} here", delta=before.delta_text)
        raise InvalidDomain("delta", _differs(earlier, words))


def check_same_parts(earlier: Dataset, schema: DatasetSchema) -> None:
    """Raises InvalidDomain unless the partition column has the categories it had before.

    New ones may follow: each is a part that nobody was in, with a line of its own. None may be
    called as the line of everything else is.
    """
    declared = Column.objects.get(version=current_version(earlier), name=earlier.partition_column)
    parts = partition_parts(schema, earlier.partition_column)[:-1]
    before = declared.categories
    if parts[: len(before)] != before or _other(tuple(before)) in parts:
        raise InvalidDomain(
            "partition_column",
            said(
                "“{column}” divides the budget of “{name}” into {categories}. Declare the same "
                "categories in the same order; new ones may follow.",
                column=earlier.partition_column,
                name=earlier.name,
                categories=", ".join(declared.categories),
            ),
        )


def _differs(earlier: Dataset, before: str) -> str:
    return said(
        "This data was registered before, as “{name}”, {before}, and shares the budget of that "
        "dataset. Choose the same.",
        name=earlier.name,
        before=before,
    )
