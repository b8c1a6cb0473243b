"""What is declared as the rows that it will be: one for the review of it and for what is written.

Nothing here is saved. What only the file tells, such as how many rows it has, is left empty.
"""

from dataclasses import dataclass

from dpgov.budgets.models import Budget
from dpgov.budgets.services import budget_declared
from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Column, Dataset, DatasetVersion, LiveTable, Upload
from dpgov.datasets.services.files.joins import public_facts
from dpgov.datasets.services.recording import columns_declared, unit_fields
from dpgov.tenants.models import Tenant, User


@dataclass(frozen=True, slots=True)
class Declared:
    """A dataset to be, with its first version and columns: all that its privacy label shows."""

    dataset: Dataset
    version: DatasetVersion
    columns: list[Column]


def as_declared(upload: Upload, declaration: Declaration) -> Declared:
    """What a registration of this upload would make, as far as no file has to be read for it."""
    tenant, currency = upload.tenant, declaration.currency
    dataset = dataset_declared(
        tenant=tenant,
        owner=upload.uploader,
        slug="",
        declaration=declaration,
        budget=budget_declared(tenant, "", declaration.limit_nano, currency),
        public_rows=declaration.schema.public_rows,
        live=upload.live,
    )
    version = DatasetVersion(tenant=tenant, dataset=dataset, number=1, joined=public_facts(upload))
    return Declared(dataset, version, columns_declared(version, declaration.schema))


def dataset_declared(
    *,
    tenant: Tenant,
    owner: User,
    slug: str,
    declaration: Declaration,
    budget: Budget,
    public_rows: int | None,
    public_units: int | None = None,
    live: LiveTable | None = None,
) -> Dataset:
    """The dataset as it is declared, open to questions."""
    schema = declaration.schema
    return Dataset(
        tenant=tenant,
        slug=slug,
        name=declaration.name,
        description=declaration.description,
        owner=owner,
        **unit_fields(schema.unit),
        neighbouring=schema.neighbouring.value,
        group_size=schema.group_size,
        max_rows=schema.max_rows,
        public_rows=public_rows,
        public_units=public_units,
        budget=budget,
        per_query_limit_nano=declaration.currency.price_of(declaration.per_query_limit_nano),
        partition_column=declaration.partition_column,
        needs_allocation=declaration.needs_allocation,
        named_only=declaration.named_only,
        live=live,
    )
