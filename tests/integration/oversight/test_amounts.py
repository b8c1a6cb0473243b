"""The amount of a question as the search over the log finds it, of entries as they are written."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from django.test import Client

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.queries.asking.submit import submit
from dpgov.tenants.models import Membership, Role
from tests.agreed import join_in_two_roles
from tests.cast import Ask
from tests.integration.queries.asking.approving import approved, needs_approval
from tests.integration.queries.asking.approving import ask as ask_approved
from tests.small_dataset import register_small_dataset
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
RHO = Currency(Mode.ZCDP, Decimal("1e-6"))
Found = Callable[[str], list[str]]


@pytest.fixture
def found(officer: Membership, client_for: ClientFor) -> Found:
    """The subjects of the entries that a search shows, newest first."""
    browser = client_for(officer)

    def search(text: str) -> list[str]:
        page = browser.get("/audit/", {"q": text})
        return [row.entry.subject for row in page.context["entries"]]

    return search


def test_a_question_in_rho_is_found_by_its_rho_and_not_as_an_epsilon(
    owner: Membership, analyst: Membership, found: Found
) -> None:
    """Its plan says the ε that was typed, and each of its lines says ρ once more."""
    dataset = register_small_dataset(owner, name="Trips", limit_nano=3 * NANO, currency=RHO)
    plan = {"dataset": "trips", "statistics": [{"statistic": "count"}], "epsilon": 0.1}
    asked = submit(membership=analyst, dataset=dataset, raw_plan=plan, idempotency_key="once")
    assert found("ρ:0.004995838") == found("ρ:<1") == [f"query:{asked.query.pk}"]
    assert found("ρ:>0.01") == found("ε:>0.001") == found("ε:0.1") == []


def test_what_an_owner_asked_is_found_by_its_amount(
    analyst: Membership, ask: Ask, found: Found, owner: Membership
) -> None:
    both = join_in_two_roles(owner.tenant, Role.OWNER, "beate")
    query = ask(both, epsilon=0.75, of=register_small_dataset(both, name="Trips"))
    assert query.by_owner
    ask(analyst, epsilon=0.5)
    assert found("ε:>0.5") == [f"query:{query.pk}"]


def test_what_an_owner_approved_is_found_by_its_amount(
    dataset: Dataset, owner: Membership, analyst: Membership, found: Found
) -> None:
    needs_approval(dataset)
    query = ask_approved(analyst, approved(analyst, owner, dataset))
    assert found("ε:1") == [f"query:{query.pk}"]


@pytest.mark.tampers_with_ledger
def test_an_entry_that_was_changed_does_not_stop_the_search(
    dataset: Dataset, owner: Membership, analyst: Membership, ask: Ask, found: Found
) -> None:
    """G5: what is no JSON any more is passed over; the log's own proof finds it."""
    kept, changed = ask(analyst, epsilon=0.75), AuditEntry.objects.get(sequence=1)
    with without_triggers("audit_auditentry"):
        AuditEntry.objects.filter(pk=changed.pk).update(detail='{"epsilon":"0.75"')
    assert found("ε:0.75") == [f"query:{kept.pk}"]
