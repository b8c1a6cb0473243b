"""An owner declares that a live table has other rows: a version, and nothing of a budget."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.audit.services import verify_and_record
from dpgov.budgets.models import Budget
from dpgov.budgets.services import freeze_tenant
from dpgov.datasets.models import Dataset, DatasetVersion, Look
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services import (
    archive_dataset,
    change_new_data_rule,
    declare_refresh,
    pause_questions,
    waiting_for_a_look,
)
from dpgov.datasets.services.live.refreshing import FrozenRefresh, NoLiveTable
from dpgov.operation import clock
from dpgov.queries.answering import answer as answering
from dpgov.queries.answering.lease import mark_opened
from dpgov.queries.models import Query
from dpgov.queries.wording.charged import rows_read
from dpgov.tenants.models import Membership, Role
from tests.cast import Ask, answer_now, answer_query, join, publish_now
from tests.integration.datasets.live.connecting import registered
from tests.integration.queries.reusing import plan, taken, ways
from tests.unit.engines.postgres.owner import Owner

pytestmark = pytest.mark.django_db(transaction=True)
Answer = Callable[[], int]
# Nothing else has a row that is new or another one afterwards.
_WRITTEN = {
    "datasets_datasetversion",
    "datasets_column",
    "datasets_look",
    "audit_auditentry",
    "audit_audithead",
}


def _refreshed(dataset: Dataset, owner: Membership) -> DatasetVersion:
    since = current_version(dataset).number
    return declare_refresh(dataset=dataset, since=since, user=owner.user).version


def _everything() -> dict[str, list[str]]:
    with connection.cursor() as cursor:
        return {table: _rows(cursor, table) for table in connection.introspection.table_names()}


def _rows(cursor: Any, table: str) -> list[str]:
    cursor.execute(f'SELECT * FROM "{table}"')
    return sorted(map(repr, cursor.fetchall()))


def test_a_refresh_writes_a_version_declared_alike_and_nothing_else(
    live: Dataset, owner: Membership, analyst: Membership, ask: Ask
) -> None:
    """M101: budgets, holds, allocations, rates, quotas, permits and marks stay to the last byte."""
    ask(analyst, of=live)
    before, there = current_version(live), _everything()
    version = _refreshed(live, owner)
    changed = {table for table, rows in _everything().items() if rows != there[table]}
    assert changed - _WRITTEN == set()
    assert schema_of(version) == schema_of(before)
    assert (version.number, version.file_seal) == (before.number + 1, "live")
    assert (version.added_by_id, version.refreshed_by_id) == (before.added_by_id, owner.user_id)
    entry = AuditEntry.objects.latest("sequence")
    assert (entry.action, entry.actor_label) == ("LIVE_TABLE_REFRESHED", owner.user.email)
    assert verify_and_record(tenant_id=live.tenant_id, actor=OPERATOR).intact


def test_the_table_is_not_asked(
    browser: Client, server: Owner, owner: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M101: with no rows, another form or no server at all it is the same."""
    live = registered(browser, server)
    server.does("DROP TABLE people")
    monkeypatch.setattr(psycopg, "connect", pytest.fail)
    assert _refreshed(live, owner).number == 2


def test_an_answer_of_an_earlier_version_is_free_no_more(
    browser: Client,
    server: Owner,
    owner: Membership,
    analyst: Membership,
    ask: Ask,
    answer_all: Answer,
    client_for: Any,
    api_for: Any,
) -> None:
    """M101: it would be taken for the present rows; asked again, the question is charged."""
    live = registered(browser, server)
    ask(analyst, of=live)
    assert answer_all() == 1
    assert taken(analyst, live, plan()).version.number == 1
    _refreshed(live, owner)
    assert ways(live, plan()) == []
    again = ask(analyst, of=live)
    assert answer_all() == 1
    again.refresh_from_db()
    assert (again.state, again.version.number) == (Query.State.RELEASED, 2)
    assert Budget.objects.get(pk=live.budget_id).spent_nano == 10**9
    assert [str(way) for way in ways(live, plan())] == ["identical"]
    page, api = reverse("queries:detail", args=[again.pk]), api_for(analyst)
    assert "Version 2 of a live table" in client_for(analyst).get(page).text
    assert api.get(f"/api/v1/queries/{again.pk}/").json()["version"] == 2
    paper = reverse("queries:download", args=[again.pk, "pdf"])
    assert client_for(analyst).get(paper).content.startswith(b"%PDF")
    free = taken(analyst, live, plan())
    assert "from the rows of the stored answer" in rows_read(free)


@pytest.mark.parametrize("when", ["queued", "claimed", "sealed"])
def test_a_question_on_its_way_keeps_its_version_and_is_charged_once(
    when: str,
    browser: Client,
    server: Owner,
    owner: Membership,
    analyst: Membership,
    ask: Ask,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """M101: wherever a worker is with it: nothing is answered twice, freed or charged anew."""
    live = registered(browser, server)
    query, refresh = ask(analyst, of=live), partial(_refreshed, live, owner)
    if when == "queued":
        refresh()
    if when == "claimed":
        opened = lambda held: (refresh(), mark_opened(held))[1]  # noqa: E731
        monkeypatch.setattr(answering, "mark_opened", opened)
    assert answer_query(query.pk)
    if when == "sealed":
        refresh()
    assert publish_now() == 1
    assert not answer_now(query.pk)
    query.refresh_from_db()
    assert (query.state, query.version.number) == (Query.State.RELEASED, 1)
    budget = Budget.objects.get(pk=live.budget_id)
    assert (budget.spent_nano, budget.reserved_nano) == (500_000_000, 0)
    assert AuditEntry.objects.filter(action="QUERY_RELEASED").count() == 1
    assert "so that they may be those before or after" in rows_read(query)


def test_an_answer_says_of_which_state_it_is(
    live: Dataset, owner: Membership, analyst: Membership, ask: Ask
) -> None:
    """M101: by versions alone; what comes after it was published is nothing about it."""
    query = ask(analyst, of=live)
    assert rows_read(query).startswith("Version 1 of a live table")
    assert "refreshed" not in rows_read(query)
    _refreshed(live, owner)
    query.visible_at = clock.now() - timedelta(hours=1)
    assert "refreshed" not in rows_read(query)
    later = ask(analyst, of=live)
    assert rows_read(later).startswith("Version 2 of a live table")
    assert "They were declared refreshed on" in rows_read(later)


@pytest.mark.parametrize("state", ["held", "archived", "frozen"])
def test_what_is_held_archived_or_frozen_is_not_refreshed(
    state: str, live: Dataset, owner: Membership, browser: Client, api_for: Any
) -> None:
    """M101: what was declared since a backup is not declared once more before it is confirmed."""
    api: APIClient = api_for(owner)
    if state == "held":
        Dataset.objects.filter(pk=live.pk).update(held_at=clock.now(), held_reason="paused")
    if state == "archived":
        archive_dataset(dataset=live, user=owner.user)
    if state == "frozen":
        freeze_tenant(tenant_id=live.tenant_id, reason="restored")
    refusal = FrozenRefresh if state == "frozen" else Dataset.DoesNotExist
    with pytest.raises(refusal):
        _refreshed(live, owner)
    sent = {"version": 1}
    rest = api.post(f"/api/v1/datasets/{live.slug}/refresh/", sent, format="json")
    page: Any = browser.post(reverse("datasets:refresh_live", args=[live.slug]), sent)
    if state == "frozen":
        assert (rest.status_code, rest.json()["errors"][0]["code"]) == (409, "budget_frozen")
        assert "frozen after a restore" in browser.get(page.url).text
    else:
        assert (rest.status_code, page.status_code) == (404, 404)
    assert live.versions.count() == 1


def test_a_file_is_refused_with_what_to_do_in_its_place(
    dataset: Dataset, owner: Membership, browser: Client, api_for: Any
) -> None:
    """M101: nor does the database let such a version be of a file, or the first one."""
    with pytest.raises(NoLiveTable, match="Add a version with the new rows"):
        _refreshed(dataset, owner)
    door = f"/api/v1/datasets/{dataset.slug}/refresh/"
    answer = api_for(owner).post(door, {"version": 1}, format="json")
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "no_live_table")
    page = reverse("datasets:refresh_live", args=[dataset.slug])
    for response in (browser.get(page), browser.post(page, {"version": 1})):
        assert "in files here, not in a live table" in response.text
    with pytest.raises(IntegrityError), transaction.atomic():
        dataset.versions.update(refreshed_by=owner.user)
    assert dataset.versions.count() == 1


def test_pressed_twice_it_is_one_and_another_owner_is_told_whose_came_first(
    live: Dataset, owner: Membership, browser: Client, client_for: Any
) -> None:
    """M101: the same press finds what it made; a page that is old declares nothing."""
    page, other = (
        reverse("datasets:refresh_live", args=[live.slug]),
        join(live.tenant, Role.OWNER, "otto"),
    )
    assert 'name="version" value="1"' in browser.get(page).text
    for words in ("Version 2 stands for the rows", "You declared version 2 already"):
        assert words in browser.post(page, {"version": 1}, follow=True).text
    late = client_for(other).post(page, {"version": 1}, follow=True)
    assert "Version 2 came on" in late.text
    assert 'name="version" value="2"' in late.text
    for nonsense in ({}, {"version": "two"}, {"version": 0}):
        assert browser.post(page, nonsense).status_code == 422
    assert live.versions.count() == 2
    assert AuditEntry.objects.filter(action="LIVE_TABLE_REFRESHED").count() == 1


def test_new_data_that_waits_for_an_officer_does_not_wait_here(
    live: Dataset, owner: Membership, officer: Membership
) -> None:
    """M101: nobody here could look at its rows, and questions had them a moment before anyway."""
    Look.objects.create(
        tenant=live.tenant,
        version=current_version(live),
        by=officer.user,
        outcome=Look.Outcome.GOES_ON,
    )
    change_new_data_rule(tenant=live.tenant, waits=True, user=officer.user)
    _refreshed(live, owner)
    live.refresh_from_db()
    assert live.held_at is None
    assert not waiting_for_a_look(live.tenant).exists()


def test_it_is_declared_in_a_pause_and_seen_by_who_asks(
    live: Dataset, owner: Membership, analyst: Membership, browser: Client, api_for: Any
) -> None:
    """M101: owners pause, load, declare and resume; who may not declare sees since when."""
    pause_questions(dataset=live, user=owner.user, reason="the nightly load")
    api, read = api_for(analyst), f"/api/v1/datasets/{live.slug}/"
    assert api.get(read).json()["refreshed_at"] is None
    version = _refreshed(live, owner)
    told = api.get(read).json()
    assert told["version"] == version.number
    assert told["refreshed_at"] == f"{version.created_at:%Y-%m-%dT%H:%M:%S.%f}Z"
    for name in ("detail", "live", "versions", "refresh_live"):
        assert "refreshed" in browser.get(reverse(f"datasets:{name}", args=[live.slug])).text
