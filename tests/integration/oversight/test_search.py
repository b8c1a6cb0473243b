"""The search box over the log, and what an entry says of before and after."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from dpgov.audit.actions import Action
from dpgov.audit.actor import WORKER, Actor
from dpgov.audit.models import AuditEntry
from dpgov.audit.selectors import Amount, EntryFilter, entries_of
from dpgov.audit.services import append
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import describe_dataset
from dpgov.oversight.log.changes import Change, changes_in
from dpgov.oversight.log.search import LONGEST, NotUnderstood, parse
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.made_once import made_once

ClientFor = Callable[[Membership], Client]
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY = datetime(2026, 11, 21, tzinfo=UTC)
ANNA = Actor(kind="user", id="1", label="anna@example.org")
IN_RHO = {"rho": "0.75", "lines": [{"rho": "3"}], "plan": {"epsilon": "7"}, "approval": "1"}

UNDERSTOOD = [
    ("", EntryFilter()),
    ("   ", EntryFilter()),
    ("actor:anna@example.org", EntryFilter(actor="anna@example.org")),
    ('actor:"command line"', EntryFilter(actor="command line")),
    ("action:query_released", EntryFilter(action="QUERY_RELEASED")),
    ("dataset:visits", EntryFilter(dataset="visits")),
    ("on:2026-11-21", EntryFilter(since=DAY, until=DAY + timedelta(days=1))),
    ("until:2026-11-21", EntryFilter(until=DAY + timedelta(days=1))),
    ("ε:>0.5", EntryFilter(amount=Amount("epsilon", ">", 500_000_000))),
    ("epsilon:0.25", EntryFilter(amount=Amount("epsilon", "=", 250_000_000))),
    ("ρ:<=0.001", EntryFilter(amount=Amount("rho", "<=", 1_000_000))),
    ("  dataset:a   actor:b ", EntryFilter(dataset="a", actor="b")),
    ("visits", EntryFilter(word="visits")),
    ("actor:a visits", EntryFilter(actor="a", word="visits")),
]
REFUSED = [
    ("visits trips", 8, "a second word alone"),
    ("actor:a <visits>", 9, "stands alone"),
    ("who:anna", 1, "there is no “who:”"),
    ("actor:", 1, "needs a value"),
    ("actor:a  actor:b", 10, "said twice"),
    ("ε:>1 epsilon:2", 6, "said twice"),
    ("action:NOTHING", 8, "no kind of step"),
    ("dataset:a on:yesterday", 14, "no day"),
    ("on:9999-12-31", 4, "no day"),
    ("ε:much", 3, "no amount"),
    ("ε:>-1", 3, "no amount"),
    ("ε:>0.0000000001", 3, "no amount"),
    ("on:2026-11-21 since:2026-11-20", 4, "a whole day"),
    ("since:2026-11-21 until:2026-11-19", 24, "before the one of since"),
    ("ε:>1 action:QUERY_RELEASED", 3, "leave action: out"),
    ('actor:"', 1, "needs a value"),
    ("a:" * LONGEST, LONGEST + 1, "characters at most"),
]


@pytest.mark.parametrize(("text", "meant"), UNDERSTOOD)
def test_a_search_means_what_its_words_say(text: str, meant: EntryFilter) -> None:
    assert parse(text) == meant


@pytest.mark.parametrize(("text", "place", "why"), REFUSED)
def test_what_is_not_understood_is_refused_at_its_place(text: str, place: int, why: str) -> None:
    with pytest.raises(NotUnderstood, match=why) as refusal:
        parse(text)
    assert refusal.value.place == place
    assert str(refusal.value).startswith(f"At character {place}: ")


def note(member: Membership, action: Action, *, hours: int = 0, **values: object) -> AuditEntry:
    facts: dict[str, Any] = {"actor": WORKER, "subject": "query:1"}
    facts |= {"at": NOON + timedelta(hours=hours)} | values
    with transaction.atomic():
        return append(tenant_id=member.tenant_id, action=action, **facts)


@made_once
def log(officer: Membership) -> list[AuditEntry]:
    asked = Action.QUERY_SUBMITTED
    return [
        note(officer, Action.DATASET_REGISTERED, dataset="visits", detail={"epsilon": "9"}),
        note(officer, asked, actor=ANNA, dataset="visits", detail={"epsilon": "0.5"}),
        note(officer, Action.QUERY_RELEASED, dataset="visits", detail={"epsilon": "0.5"}),
        note(officer, asked, hours=24, actor=ANNA, dataset="trips", detail={"epsilon": "1.25"}),
        note(officer, asked, hours=24, actor=ANNA, dataset="trips", detail=IN_RHO),
        note(officer, asked, actor=ANNA, detail={"epsilon": "999.999999999", "by_owner": True}),
    ]


FOUND = [
    ("ε:>0.5", [6, 4]),
    ("ε:>=0.5", [6, 4, 2]),
    ("ε:<1", [2]),
    ("ε:0.5", [2]),
    ("ε:999.999999999", [6]),
    ("ε:>999.999999998", [6]),
    ("ρ:>0.5", [5]),
    ("ε:>0.5 dataset:trips", [4]),
    ("on:2026-11-22", [5, 4]),
    ("actor:worker dataset:visits", [3, 1]),
    ("action:QUERY_RELEASED", [3]),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("text", "expected"), FOUND)
def test_the_page_finds_what_the_search_means(
    log: list[AuditEntry],
    officer: Membership,
    client_for: ClientFor,
    text: str,
    expected: list[int],
) -> None:
    page = client_for(officer).get("/audit/", {"q": text})
    assert [row.entry.sequence for row in page.context["entries"]] == expected


@pytest.mark.django_db
def test_search_and_fields_must_both_hold_and_may_not_contradict(
    log: list[AuditEntry], officer: Membership, client_for: ClientFor
) -> None:
    browser = client_for(officer)
    both = browser.get("/audit/", {"q": "ε:>0.1", "dataset": "trips"})
    assert [row.entry.sequence for row in both.context["entries"]] == [4]
    refused = browser.get("/audit/", {"q": "dataset:visits", "dataset": "trips"})
    assert "says something else" in refused.text
    assert refused.context["form"].errors.keys() == {"dataset"}


@pytest.mark.django_db
def test_a_search_that_is_not_understood_says_where(
    officer: Membership, client_for: ClientFor
) -> None:
    page = client_for(officer).get("/audit/", {"q": "dataset:a <script>"})
    assert "At character 11" in page.text
    assert "<script>&quot;" not in page.text
    assert "“<script>”" not in page.text


@pytest.mark.django_db
def test_an_export_keeps_to_the_search_and_notes_it(
    log: list[AuditEntry], officer: Membership, client_for: ClientFor
) -> None:
    answer = client_for(officer).post("/audit/export/csv/", {"q": "ε:>1"})
    lines = b"".join(answer).decode().splitlines()
    assert [line.split(",")[1] for line in lines[1:]] == ["4", "6"]
    note_of_it = AuditEntry.objects.latest("sequence")
    assert '"amount":"epsilon > 1000000000 nano"' in note_of_it.detail


@pytest.mark.django_db
def test_an_amount_is_found_by_an_index(officer: Membership) -> None:
    """K3: as the application's role, with the policies in the plan."""
    for number in range(200):
        note(officer, Action.QUERY_SUBMITTED, detail={"epsilon": "9"} if number % 20 == 0 else {})
    sought = entries_of(officer.tenant_id, EntryFilter(amount=Amount("epsilon", ">", 5)))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # What it knew of the table would be whatever another test left behind.
            cursor.execute("ANALYZE audit_auditentry")
            cursor.execute("SET LOCAL enable_seqscan = off")
        with acting_for(officer.tenant_id):
            plan = sought[:50].explain()
    assert "audit_entry_amount" in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.django_db
def test_the_database_keeps_the_amount_and_nobody_can_set_it(log: list[AuditEntry]) -> None:
    amounts = AuditEntry.objects.order_by("sequence").values_list("amount_nano", flat=True)
    expected = [None, 500_000_000, None, 1_250_000_000, 750_000_000, 999_999_999_999]
    assert list(amounts) == expected


CHANGES = [
    ("{}", []),
    ("no JSON", []),
    ('{"before": "owner", "after": "officer"}', [Change("Value", "owner", "officer")]),
    (
        '{"before_epsilon": "3", "after_epsilon": "2"}',
        [Change("Amount in ε", "3", "2")],
    ),
    (
        '{"before_rho": null, "limit_rho": "0.5"}',
        [Change("Amount in ρ", "nothing", "0.5")],
    ),
    (
        '{"effect": {"before_epsilon": "3", "after_epsilon": "4"}}',
        [Change("Amount in ε", "3", "4")],
    ),
    ('{"before_statistics": [], "after_statistics": ["count", "sum"]}',
     [Change("Statistics", "nothing", "count, sum")]),
    ('{"before_alone": 1}', []),
]  # fmt: skip


@pytest.mark.parametrize(("detail", "expected"), CHANGES)
def test_before_and_after_are_read_off_the_detail(detail: str, expected: list[Change]) -> None:
    assert changes_in(detail) == expected


@pytest.mark.django_db
def test_an_entry_s_page_shows_before_and_after(
    dataset: Dataset, owner: Membership, officer: Membership, client_for: ClientFor
) -> None:
    describe_dataset(dataset=dataset, description="Second words.", user=owner.user)
    number = AuditEntry.objects.latest("sequence").sequence
    page = client_for(officer).get(f"/audit/{number}/")
    assert page.context["changes"] == [
        Change("Description", dataset.description or "nothing", "Second words.")
    ]
    assert "Before and after" in page.text
