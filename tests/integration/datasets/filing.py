"""Partitioned files and the questions about them, through the services, as short calls."""

from collections.abc import Sequence
from uuid import uuid4

import duckdb

from dpgov.datasets import storage
from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import add_version, receive_upload, register_dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.schema import (
    ColumnSpec,
    DatasetSchema,
    MissingRule,
    Neighbouring,
    PrivacyUnit,
)
from dpgov.queries.asking.submit import submit
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership

REGIONS = ("North", "South")
# A person, what tells them apart among the declared columns, and a region.
Row = tuple[str, int, str]
ORDER = ("id", "visits", "region")


def people(*regions: Sequence[str]) -> list[Row]:
    """One person for each sequence, with a row in each of its regions."""
    return [(f"p{who}", who, region) for who, own in enumerate(regions) for region in own]


def as_file(rows: Sequence[Row], order: Sequence[str] = ORDER) -> bytes:
    """A CSV file with its columns in this order; any other name is a column of row numbers."""
    cells = [dict(zip(ORDER, row, strict=True)) | {"n": place} for place, row in enumerate(rows)]
    lines = [",".join(str(cell.get(name, cell["n"])) for name in order) for cell in cells]
    return "\n".join([",".join(order), *lines, ""]).encode()


def columns(
    regions: Sequence[str] = REGIONS, *, missing: str = "", first: str = "visits"
) -> tuple[ColumnSpec, ...]:
    """The declared columns; a missing region is dropped, or imputed as `missing`."""
    rule = MissingRule.IMPUTE if missing else MissingRule.DROP
    both = (
        column_spec("visits", numeric_domain("0", "99", "1"), MissingRule.DROP, ""),
        column_spec("region", category_domain(list(regions)), rule, missing),
    )
    return both if first == "visits" else both[::-1]


def uploaded(owner: Membership, content: bytes) -> Upload:
    return receive_upload(
        tenant=owner.tenant, uploader=owner.user, name="file.csv", chunks=[content]
    )


def registered(
    owner: Membership,
    content: bytes,
    specs: tuple[ColumnSpec, ...],
    *,
    named: bool = True,
    neighbouring: Neighbouring = Neighbouring.ADD_REMOVE,
    limit_nano: int = 100 * NANO,
) -> Dataset:
    """A dataset whose budget is divided by region, new or sharing the budget of the same data."""
    schema = DatasetSchema(
        columns=specs,
        unit=PrivacyUnit("id", 5, None) if named else PrivacyUnit(),
        neighbouring=neighbouring,
        group_size=1,
        max_rows=1000,
    )
    declaration = Declaration("Visits", "", schema, limit_nano, NANO, partition_column="region")
    return register_dataset(
        tenant=owner.tenant,
        owner=owner.user,
        upload=uploaded(owner, content),
        declaration=declaration,
    ).dataset


def versioned(
    owner: Membership,
    dataset: Dataset,
    content: bytes,
    specs: tuple[ColumnSpec, ...],
    *,
    append_rows: bool = False,
) -> DatasetVersion:
    """Another file of the dataset; or new rows for the one that is there."""
    return add_version(
        dataset=Dataset.objects.get(pk=dataset.pk),
        upload=uploaded(owner, content),
        columns=specs,
        user=owner.user,
        append_rows=append_rows,
    )


def ask(asker: Membership, dataset: Dataset, region: str = "", nano: int = NANO) -> Query:
    """A count over one region, or over all."""
    where = [{"column": "region", "op": "=", "value": region}] if region else []
    plan = {
        "dataset": dataset.slug,
        "statistics": [{"statistic": "count"}],
        "where": where,
        "group_by": [],
        "epsilon": nano / NANO,
    }
    present = Dataset.objects.select_related("budget").get(pk=dataset.pk)
    return submit(
        membership=asker, dataset=present, raw_plan=plan, idempotency_key=str(uuid4())
    ).query


def committed(dataset: Dataset) -> int:
    """What is booked or held of the dataset's budget, whichever that is by now."""
    return Dataset.objects.get(pk=dataset.pk).budget.committed_nano


def apart(dataset: Dataset) -> bool:
    """Whether a question about one region is still charged to that region alone."""
    return Dataset.objects.get(pk=dataset.pk).budget.undivided_at is None


def stored_parts(version: DatasetVersion) -> dict[int, set[str]]:
    """In which regions the stored file has rows of whom, told by their `visits`."""
    specs = {column.name: column for column in version.columns.all()}
    names = [*specs["region"].categories, "else"]
    code = f"coalesce(c{specs['region'].position}, {len(names) - 1})"
    found: dict[int, set[str]] = {}
    with duckdb.connect(str(storage.data_path(version.pk)), read_only=True) as connection:
        sql = f"SELECT DISTINCT c{specs['visits'].position}, {code} FROM data"
        for who, region in connection.execute(sql).fetchall():
            found.setdefault(who, set()).add(names[region])
    return found


def parts_of(dataset: Dataset) -> dict[int, set[str]]:
    """The same of the dataset's newest file."""
    return stored_parts(current_version(Dataset.objects.get(pk=dataset.pk)))
