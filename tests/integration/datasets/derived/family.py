"""Two registered datasets of the same people, in one shared budget, and one derived from them.

Visits: up to two rows of a person, with days and ward. Costs: up to two rows, with what was paid.
p1 and p2 are in both; p3 is in visits and p4 in costs alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Arrival, Dataset
from dpgov.datasets.services import (
    DeclaredParent,
    Derivation,
    add_version,
    ask_derived,
    receive_upload,
    register_dataset,
)
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.schema import (
    ColumnSpec,
    DatasetSchema,
    MissingRule,
    Neighbouring,
    PrivacyUnit,
)
from dpgov.tenants.models import Membership
from tests.eager import read_waiting
from tests.integration.datasets.quick import read_here

DAYS = column_spec("days", numeric_domain("0", "9", "1"), MissingRule.DROP, "")
WARD = column_spec("ward", category_domain(["North", "South"]), MissingRule.DROP, "")
PAID = column_spec("paid", numeric_domain("0", "90", "1"), MissingRule.DROP, "")
VISITS = "id,days,ward\np1,3,North\np1,5,South\np2,4,North\np3,9,South\n"
COSTS = "who,paid,days\np1,30,1\np2,40,2\np2,41,3\np4,5,4\n"
DERIVATION = Derivation(
    name="Visits and costs",
    description="",
    first=DeclaredParent("visits", 2, ("ward", "days")),
    second=DeclaredParent("costs", 2, ("paid",)),
    rows_of_unit=3,
    limit_nano=4 * NANO,
    per_query_limit_nano=NANO,
)


def registered(
    owner: Membership,
    name: str,
    content: str,
    columns: Sequence[ColumnSpec],
    **changes: Any,
) -> Dataset:
    """A small file of people, through the services."""
    schema = DatasetSchema(
        columns=tuple(columns),
        unit=PrivacyUnit(content.split(",", 1)[0], 2),
        neighbouring=Neighbouring.ADD_REMOVE,
        group_size=1,
        max_rows=100,
    )
    partition, currency = changes.pop("partition_column", ""), changes.pop("currency", PURE)
    declaration = Declaration(
        name=name,
        description="",
        schema=replace(schema, mode=currency.mode, **changes),
        delta=currency.delta,
        limit_nano=10 * NANO,
        per_query_limit_nano=2 * NANO,
        partition_column=partition,
    )
    with read_here():
        upload = receive_upload(
            tenant=owner.tenant, uploader=owner.user, name="f.csv", chunks=[content.encode()]
        )
        return register_dataset(
            tenant=owner.tenant, owner=owner.user, upload=upload, declaration=declaration
        ).dataset


def parents(
    owner: Membership, currency: Currency = PURE, **changes: Any
) -> tuple[Dataset, Dataset]:
    """Both, in one shared budget."""
    visits = registered(owner, "Visits", VISITS, (DAYS, WARD), currency=currency, **changes)
    costs = registered(owner, "Costs", COSTS, (PAID, DAYS), currency=currency)
    shared = open_shared_budget(
        tenant=owner.tenant,
        name="people",
        limit_nano=20 * NANO,
        actor=OPERATOR,
        currency=currency,
    )
    for one in (visits, costs):
        join_shared_budget(shared_budget=shared, dataset_budget=one.budget, actor=OPERATOR)
    return visits, costs


def asked(owner: Membership, **changes: Any) -> Arrival:
    """The owner wants both put together; nobody has done so yet."""
    return ask_derived(membership=owner, derivation=replace(DERIVATION, **changes))


def derived(owner: Membership, **changes: Any) -> Dataset:
    """And now a worker has."""
    arrival = asked(owner, **changes)
    read_waiting()
    arrival.refresh_from_db()
    assert arrival.dataset is not None, arrival.outcome
    return arrival.dataset


def newer(owner: Membership, dataset: Dataset) -> None:
    """Another version of the visits, with another row."""
    with read_here():
        upload = receive_upload(
            tenant=owner.tenant,
            uploader=owner.user,
            name="f.csv",
            chunks=[f"{VISITS}p7,1,North\n".encode()],
        )
        add_version(dataset=dataset, upload=upload, columns=(DAYS, WARD), user=owner.user)


def shared_budget(dataset: Dataset) -> Budget:
    """The one that its parents are in."""
    return Budget.objects.get(members__dataset_budget=dataset.budget)
