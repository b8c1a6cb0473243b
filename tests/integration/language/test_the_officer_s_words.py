"""What the officer's pages say in another language, and what of it stays English for everybody."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from dpgov.approvals.kinds import title_of
from dpgov.approvals.models import ChangeRequest
from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry, AuditHead
from dpgov.budgets.models import Budget
from dpgov.budgets.services import freeze_tenant
from dpgov.budgets.services.restored import MOVED, behind
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import archive_dataset
from dpgov.language.said import as_values, from_values
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.asking.policy import QueryLimitExceeded
from dpgov.tenants.models import Membership
from tests.agreed import who_stays
from tests.cast import Ask
from tests.integration.language.marking import CLOSE, OPEN

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
_GERMAN = {"Accept-Language": "de"}
_RECORD = {
    "curators": "Harbour",
    "intended_use": "Planning",
    "region": "Harbour",
    "published": "2026-11-01",
    "authors": "Oscar",
    "file": "yes",
}


@pytest.fixture(autouse=True)
def german(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is said in German is the English between two brackets."""
    for name in ("gettext", "ngettext", "pgettext", "npgettext"):
        monkeypatch.setattr(vars(translation)["_trans"], name, _marked(name), raising=False)


def _marked(name: str) -> Any:
    spoken = getattr(vars(translation)["_trans"], name)

    def said(*parts: Any) -> str:
        is_german = translation.get_language() == "de"
        with translation.override("en-gb"):
            text: str = spoken(*parts)
        return f"{OPEN}{text}{CLOSE}" if is_german and text.strip() else text

    return said


def test_a_broken_log_is_told_in_german_and_recorded_in_english(
    officer: Membership, client_for: ClientFor
) -> None:
    client_for(officer).post("/audit/verify/")
    AuditHead.objects.update(sequence=AuditEntry.objects.latest("sequence").sequence + 1)
    page = client_for(officer).post("/audit/verify/", headers=_GERMAN)
    assert f"{OPEN}Entry 2 is missing; the log should reach 2.{CLOSE}" in page.text
    recorded = AuditEntry.objects.latest("sequence")
    kept = json.loads(recorded.detail)["problems"]
    assert [from_values(one) for one in kept] == ["Entry 2 is missing; the log should reach 2."]
    assert [one["values"] for one in kept] == [{"number": {"value": 2}, "last": {"value": 2}}]
    entry = client_for(officer).get(f"/audit/{recorded.sequence}/", headers=_GERMAN)
    assert f"<li>{OPEN}Entry 2 is missing; the log should reach 2.{CLOSE}</li>" in entry.text


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        (MOVED, f"{OPEN}{MOVED}{CLOSE}"),
        (behind(12, 9), f"{OPEN}{behind(12, 9)}{CLOSE}"),
        ("A disk was lost.", "– A disk was lost."),
    ],
)
def test_our_reason_for_a_freeze_is_told_in_german_and_a_person_s_as_it_is(
    officer: Membership, dataset: Dataset, client_for: ClientFor, reason: str, shown: str
) -> None:
    freeze_tenant(tenant_id=officer.tenant_id, reason=reason)
    assert shown in client_for(officer).get("/frozen/", headers=_GERMAN).text
    assert Budget.objects.get(pk=dataset.budget_id).frozen_reason == as_values(reason)
    recorded = AuditEntry.objects.latest("sequence")
    assert json.loads(recorded.detail)["reason"] == as_values(reason)
    assert (
        f"<q>{shown.removeprefix('– ')}</q>"
        in client_for(officer).get("/audit/", headers=_GERMAN).text
    )


@pytest.mark.parametrize("path", ["/month/table/", "/month/report/"])
def test_a_month_on_paper_is_the_same_for_every_reader(
    officer: Membership, analyst: Membership, ask: Ask, client_for: ClientFor, path: str
) -> None:
    ask(analyst, epsilon=1)
    with pytest.raises(QueryLimitExceeded):
        ask(analyst, epsilon=2.5)
    ours, theirs = (client_for(officer).get(path, headers=head) for head in ({}, _GERMAN))
    assert ours.content == theirs.content


def test_a_public_record_is_the_same_for_every_reader(
    officer: Membership, dataset: Dataset, client_for: ClientFor
) -> None:
    path = f"/datasets/{dataset.slug}/record/"
    ours, theirs = (client_for(officer).post(path, _RECORD, headers=h) for h in ({}, _GERMAN))
    assert ours.status_code == 200
    assert ours.content == theirs.content


def test_a_request_keeps_the_names_of_its_datasets_and_no_sentence(
    owner: Membership, dataset: Dataset, client_for: ClientFor
) -> None:
    shared = open_shared_budget(
        tenant=owner.tenant, name="Residents", limit_nano=5 * NANO, actor=OPERATOR
    )
    join_shared_budget(shared_budget=shared, dataset_budget=dataset.budget, actor=OPERATOR)
    who_stays(owner, shared)
    archive_dataset(dataset=dataset, user=owner.user)
    asked = {"datasets": str(dataset.budget_id), "name": "Others", "reason": "Other people."}
    path = f"/shared-budgets/{shared.pk}/divide/"
    client_for(owner).post(path, asked, headers=_GERMAN)
    change, name = ChangeRequest.objects.get(), f"{OPEN}Visits (archived){CLOSE}"
    assert (change.payload["datasets"], change.payload["archived"]) == (["Visits"], ["Visits"])
    assert title_of(change) == f"{OPEN}Take {name} out of “Residents”{CLOSE}"
