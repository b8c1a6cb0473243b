"""What is declared about a derived dataset, held against its parents as they are now.

A function of what is declared about both, and of who shares a budget; never of their rows. The
declarations of the columns are taken over as they are, because their codes are what is stored.
"""

from dataclasses import dataclass, replace
from itertools import chain

from dpgov.budgets.shared_budgets import sharing_of
from dpgov.datasets.declaration import name_taken
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version, datasets_of, schema_of
from dpgov.datasets.services.derived.moments import most_rows_at_all
from dpgov.datasets.services.derived.parents import (
    SIDES,
    DeclaredParent,
    Derivation,
    check_limits,
    check_parent,
    check_rows,
    check_rows_of_unit,
    check_together,
)
from dpgov.engines.deriving import Parent, most_rows
from dpgov.engines.ingest.limits import MAX_COLUMNS
from dpgov.language.said import said
from dpgov.privacy.plan.domains import check_capacity
from dpgov.privacy.plan.schema import (
    ColumnSpec,
    DatasetSchema,
    InvalidDomain,
    Neighbouring,
    PrivacyUnit,
)
from dpgov.tenants.models import Membership

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Planned:
    """What comes of it: the versions of both parents, and the public metadata."""

    derivation: Derivation
    versions: tuple[DatasetVersion, DatasetVersion]
    schema: DatasetSchema
    places: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def parents(self) -> tuple[Dataset, Dataset]:
        """Both datasets."""
        return self.versions[0].dataset, self.versions[1].dataset

    @property
    def of_these_versions(self) -> Derivation:
        """The declaration with the versions that it is held against: newer ones change nothing."""
        first, second = (
            replace(side, version=str(version.pk))
            for side, version in zip(self.derivation.sides, self.versions, strict=True)
        )
        return replace(self.derivation, first=first, second=second)

    @property
    def rows_at_most(self) -> int:
        """Public: how many rows there are at most to be read, and to be written."""
        return sum(parent.max_rows for parent in self.parents) + self.schema.max_rows


def planned(membership: Membership, derivation: Derivation) -> Planned:
    """The declaration held against both parents as they are now; raises InvalidDomain.

    A parent that this person does not see is one that there is not.
    """
    first, second = (_version(membership, side, name) for side, name in _named(derivation))
    if first.dataset_id == second.dataset_id:
        raise InvalidDomain("second", said("Choose two different datasets."))
    for version, name in zip((first, second), SIDES, strict=True):
        check_parent(version.dataset, name)
    check_together(first.dataset, second.dataset)
    schemas = schema_of(first), schema_of(second)
    for (side, name), schema in zip(_named(derivation), schemas, strict=True):
        check_rows(side, schema, name)
    check_rows_of_unit(derivation)
    check_limits(derivation, first.dataset, second.dataset)
    places = tuple(
        tuple(_place(schema, column, name) for column in side.columns)
        for (side, name), schema in zip(_named(derivation), schemas, strict=True)
    )
    schema = _schema(derivation, schemas, places)
    plan = Planned(derivation, (first, second), schema, (places[0], places[1]))
    _check_rows_at_most(plan)
    return plan


def _check_rows_at_most(plan: Planned) -> None:
    most = most_rows_at_all(len(plan.schema.columns))
    if plan.rows_at_most > most:
        words = said(
            "By what is declared there may be {rows:,} rows to read and write, and at most "
            "{most:,} can be put together here. Keep fewer joined rows of a person, or ask the "
            "people who run this installation to give the reading of files more time and memory.",
            rows=plan.rows_at_most,
            most=most,
        )
        raise InvalidDomain("rows_of_unit", words)


def can_be_joined(membership: Membership, dataset: Dataset) -> list[Dataset]:
    """The datasets that this person sees and that could be the other parent, by name."""
    sharing = sharing_of(dataset.budget_id, dataset.tenant)
    if sharing is None:
        return []
    beside = datasets_of(membership).filter(budget__in=sharing.own_budgets)
    return [one for one in beside if _fits(dataset, one)]


def _fits(dataset: Dataset, other: Dataset) -> bool:
    try:
        for one, name in zip((dataset, other), SIDES, strict=True):
            check_parent(one, name)
        check_together(dataset, other)
    except InvalidDomain:
        return False
    return True


def _named(derivation: Derivation) -> tuple[tuple[DeclaredParent, str], tuple[DeclaredParent, str]]:
    return (derivation.first, SIDES[0]), (derivation.second, SIDES[1])


def _version(membership: Membership, side: DeclaredParent, name: str) -> DatasetVersion:
    dataset = datasets_of(membership).filter(slug=side.slug).first()
    if dataset is None:
        raise InvalidDomain(name, said("There is no dataset “{slug}”.", slug=side.slug))
    if not side.version:
        return current_version(dataset)
    kept = dataset.versions.filter(pk=side.version, data_deleted_at__isnull=True)
    found = kept.select_related("dataset__budget").first()
    if found is None:
        raise InvalidDomain(name, said("There is no data of this version any more."))
    return found


def _place(schema: DatasetSchema, column: str, name: str) -> int:
    place = schema.index_of(column)
    if place is None:
        words = said("There is no column “{column}” that can be asked about.", column=column)
        raise InvalidDomain(f"columns_{name}", words)
    return place


def _schema(
    derivation: Derivation,
    schemas: tuple[DatasetSchema, DatasetSchema],
    places: tuple[tuple[int, ...], ...],
) -> DatasetSchema:
    first, second = schemas
    sides = zip(derivation.sides, schemas, places, SIDES, strict=True)
    columns = tuple(chain.from_iterable(_columns(*side) for side in sides))
    if not columns:
        words = said("Choose at least one column that can be asked about.")
        raise InvalidDomain("columns_first", words)
    if len(columns) > MAX_COLUMNS:
        words = said("At most {most} columns of both together.", most=MAX_COLUMNS)
        raise InvalidDomain("columns_second", words)
    _check_names(columns, first.unit.private_id or "")
    first_rows, second_rows = (Parent("", one.rows_of_unit, ()) for one in derivation.sides)
    bounds = first.max_rows, second.max_rows
    schema = DatasetSchema(
        columns=columns,
        unit=PrivacyUnit(first.unit.private_id, derivation.rows_of_unit),
        neighbouring=Neighbouring.ADD_REMOVE,
        group_size=first.group_size,
        max_rows=most_rows(first_rows, second_rows, bounds, derivation.rows_of_unit),
        mode=first.mode,
    )
    check_capacity(schema)
    return schema


def _columns(
    side: DeclaredParent, schema: DatasetSchema, places: tuple[int, ...], name: str
) -> list[ColumnSpec]:
    """As they are declared there; what was computed is stored like everything else."""
    taken = [schema.columns[place] for place in places]
    if len(set(places)) < len(places):
        raise InvalidDomain(f"columns_{name}", said("Choose each column once."))
    renamed = [replace(one, name=side.prefix + one.name, formula=None) for one in taken]
    if any(len(one.name) > LONGEST_NAME for one in renamed):
        words = said("With it a name has more than {most} characters.", most=LONGEST_NAME)
        raise InvalidDomain(f"prefix_{name}", words)
    return renamed


def _check_names(columns: tuple[ColumnSpec, ...], private_id: str) -> None:
    seen = {private_id}
    for spec in columns:
        if spec.name in seen:
            raise InvalidDomain("prefix_second", name_taken(spec.name))
        seen.add(spec.name)
