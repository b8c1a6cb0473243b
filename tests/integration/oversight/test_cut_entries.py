"""G8, G9: what reconciling needs is in the log however long an entry is; older ones were cut."""

import hashlib
import json
from collections.abc import Callable
from uuid import uuid4

import pytest

from dpgov.audit.entry import canonical_json
from dpgov.audit.models import AuditEntry
from dpgov.audit.recheck import recheck_all
from dpgov.budgets.models import BudgetPart, Charge, Reservation
from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import receive_upload, register_dataset
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.domains import MAX_CATEGORIES, category_domain, column_spec
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit
from dpgov.queries.asking.submit import submit
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.audit.seeds import cut_as_before
from tests.made_once import made_once
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db(transaction=True)
Asking = Callable[..., Query]
AREAS = tuple(f"{place:04} {'x' * 110}" for place in range(MAX_CATEGORIES))


@made_once
def divided(owner: Membership) -> Dataset:
    """Its budget is divided by a column of as many categories as may be declared."""
    areas = column_spec("area", category_domain(AREAS), MissingRule.DROP, "")
    schema = DatasetSchema((areas,), PrivacyUnit(), Neighbouring.ADD_REMOVE, 1, 10_000)
    upload = receive_upload(
        tenant=owner.tenant,
        uploader=owner.user,
        name="areas.csv",
        chunks=["\n".join(["area", *AREAS, ""]).encode()],
    )
    declared = Declaration("Areas", "", schema, 10 * NANO, NANO, partition_column="area")
    return register_dataset(
        tenant=owner.tenant, owner=owner.user, upload=upload, declaration=declared
    ).dataset


def asked(by: Membership, dataset: Dataset, *names: str) -> Query:
    where = [{"column": "area", "op": "in", "value": list(names)}] if names else []
    plan = {
        "dataset": dataset.slug,
        "statistics": [{"statistic": "count"}],
        "where": where,
        "group_by": [],
        "epsilon": 0.5,
    }
    return submit(membership=by, dataset=dataset, raw_plan=plan, idempotency_key=str(uuid4())).query


def findings(dataset: Dataset) -> list[str]:
    return list(reconcile(dataset.tenant).findings)


def entry_of(query: Query) -> AuditEntry:
    return AuditEntry.objects.get(action="QUERY_SUBMITTED", subject=f"query:{query.pk}")


def test_a_question_on_a_thousand_parts_agrees_with_its_entry(
    divided: Dataset, analyst: Membership, answer_all: Callable[[], int]
) -> None:
    """G8: its plan is cut, and can be compared; its price and every line stand in the log."""
    everybody, some = asked(analyst, divided), asked(analyst, divided, *AREAS[:900])
    assert findings(divided) == []
    answer_all()
    assert findings(divided) == []
    assert [len(json.loads(entry_of(one).detail)["lines"]) for one in (everybody, some)] == [
        BudgetPart.objects.filter(dataset_budget=divided.budget_id).count(),
        900,
    ]
    entry = entry_of(some)
    digest = hashlib.sha256(canonical_json(some.plan).encode()).hexdigest()
    assert json.loads(entry.detail)["plan"]["sha256"] == digest
    assert entry.amount_nano == some.cost_nano
    assert recheck_all(divided.tenant_id).intact


@pytest.mark.tampers_with_ledger
def test_a_price_that_an_entry_does_not_state_is_found(
    dataset: Dataset, analyst: Membership, ask: Asking
) -> None:
    """G8: nothing is compared with nothing as if it were the same."""
    query = ask(analyst)
    with without_triggers():
        AuditEntry.objects.filter(pk=entry_of(query).pk).update(detail='{"lines":[]}')
    assert f"question {query.pk}: stored at ε {query.cost_nano / NANO:g}, but" in " ".join(
        findings(dataset)
    )


@pytest.mark.tampers_with_ledger
def test_of_an_entry_that_was_cut_whole_it_is_said_and_nothing_else(
    dataset: Dataset, analyst: Membership, ask: Asking, answer_all: Callable[[], int]
) -> None:
    """G8: its charges and balances are not called forged; its price is still compared."""
    query = ask(analyst)
    answer_all()
    with without_triggers():
        cut_as_before(entry_of(query))
    (said,) = findings(dataset)
    assert said.startswith(f"question {query.pk}: its entry in the log was cut")
    assert "its charges, 1 in all," in said
    with without_triggers():
        Query.objects.filter(pk=query.pk).update(cost_nano=1)
    assert "stored at" in " ".join(findings(dataset))


@pytest.mark.tampers_with_ledger
def test_a_charge_of_another_question_is_found_beside_one_that_was_cut(
    dataset: Dataset, analyst: Membership, ask: Asking, answer_all: Callable[[], int]
) -> None:
    """G8: an entry that was cut excuses its own question alone."""
    cut, other = ask(analyst), ask(analyst, epsilon=0.25)
    answer_all()
    with without_triggers():
        cut_as_before(entry_of(cut))
        for rows in (Charge.objects, Reservation.objects):
            rows.filter(query_id=other.pk).update(amount_nano=1)
    assert any(str(other.pk) in said and "is to be charged" in said for said in findings(dataset))
