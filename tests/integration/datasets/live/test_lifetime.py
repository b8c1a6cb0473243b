"""What supposes that a version has a file is done or refused for a live table (decision 47)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Dataset, LiveTable, Upload
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services import (
    NoFile,
    UploadUsed,
    archive_dataset,
    change_new_data_rule,
    change_unit_bounds,
    check_file,
    decide_as_agreed,
    delete_data,
    delete_version_data,
    let_begin,
    register_dataset,
    take_public_table,
    why_not_append,
)
from dpgov.datasets.services.derived.parents import check_parent
from dpgov.datasets.services.live.asking import live_engine
from dpgov.datasets.services.moving import move_to_store
from dpgov.datasets.storage import Spool
from dpgov.joint.errors import BadProposal
from dpgov.joint.services.prepared import proposal_of
from dpgov.operation import clock
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.eager import arrived, refused
from tests.integration.datasets.live.connecting import (
    connected,
    declared,
    register,
    registered,
)
from tests.integration.datasets.registering import uploaded
from tests.unit.engines.postgres.owner import Owner

pytestmark = pytest.mark.django_db(transaction=True)
Answer = Callable[[], int]


def _declares(browser: Client, live: Dataset, **changes: str) -> Any:
    """The table once more, with these declarations."""
    led: Any = browser.post(reverse("datasets:declare_live", args=[live.slug]))
    assert led.status_code == 302, led.content.decode()
    return arrived(browser, browser.post(led.url, declared(**changes)))


def test_other_declarations_are_a_version_under_the_same_budget(
    browser: Client, server: Owner, analyst: Membership, ask: Ask, answer_all: Answer
) -> None:
    """M95, D5: A question keeps the version that it was asked of; a person's rows their order."""
    live = registered(browser, server)
    before, asked = current_version(live), ask(analyst, of=live)
    assert _declares(browser, live, age__upper="60", name="ignored").status_code == 302
    live.refresh_from_db()
    newest = current_version(live)
    assert (newest.number, newest.file_seal) == (2, "live")
    bounds = [each.columns.get(name="age").upper for each in (before, newest)]
    assert bounds == ["120", "60"]
    assert live_engine(before).order_key == live_engine(newest).order_key
    assert answer_all() == 1
    asked.refresh_from_db()
    assert (asked.state, asked.version_id) == (Query.State.RELEASED, before.pk)
    assert Budget.objects.filter(label=live.slug).count() == 1
    assert Budget.objects.get(pk=live.budget_id).spent_nano == 500_000_000
    page = browser.get(reverse("datasets:versions", args=[live.slug])).text
    assert "Declare it anew" in page
    assert "Delete the data" not in page


def test_a_table_that_reads_another_dataset_s_since_gets_no_version(
    browser: Client, server: Owner
) -> None:
    """M95: Its people have that budget."""
    server.has("visits", {"id": "integer", "age": "integer", "sex": "text"})
    for statement in ("CREATE VIEW kept AS SELECT * FROM visits", "GRANT SELECT ON kept TO reader"):
        server.does(statement)
    mine = register(browser, connected(browser, server, table="kept"), name="Mine")
    assert mine.status_code == 302
    registered(browser, server, name="Another")
    server.does("CREATE OR REPLACE VIEW kept AS SELECT id, age, sex FROM people")
    response = _declares(browser, Dataset.objects.get(name="Mine"), age__upper="60")
    assert refused(response)
    assert "registered here as another dataset" in response.content.decode()
    assert Dataset.objects.get(name="Mine").versions.count() == 1


def test_a_file_and_a_live_table_never_follow_each_other(
    browser: Client, server: Owner, dataset: Dataset
) -> None:
    """M95: Neither may the table of one dataset be registered as a second one."""
    live, file = registered(browser, server), uploaded(browser)
    for of, upload in ((live, file), (dataset, connected(browser, server))):
        page = reverse("datasets:add_version", args=[of.slug, upload.pk])
        assert refused(browser.post(page, {**declared(), "holds": "everything"}))
        assert of.versions.count() == 1
    led: Any = browser.post(reverse("datasets:declare_live", args=[live.slug]))
    own = Upload.objects.get(pk=led.url.rstrip("/").rsplit("/", 1)[1])
    response = register(browser, own, name="Once more")
    assert refused(response)
    assert not Dataset.objects.filter(name="Once more").exists()


def test_what_looks_into_a_file_refuses_a_live_table(
    browser: Client, server: Owner, owner: Membership, tmp_path: Any
) -> None:
    """M95: At the pages and behind them."""
    upload = connected(browser, server)
    for name in ("file", "join"):
        assert browser.get(reverse(f"datasets:{name}", args=[upload.pk])).status_code == 404
    check = reverse("datasets:check", args=[upload.pk])
    assert browser.post(check, declared()).status_code == 404
    with pytest.raises(UploadUsed):
        check_file(upload=upload, user=owner.user, columns=(), private_id=None)
    spool = Spool(largest=100)
    with pytest.raises(UploadUsed):
        take_public_table(upload=upload, user=owner.user, name="t.csv", spool=spool)
    spool.discard()
    assert browser.get(reverse("datasets:register", args=[upload.pk])).status_code == 200
    live = registered(browser, server)
    assert why_not_append(current_version(live), owner.user)
    with pytest.raises(InvalidDomain, match="live table"):
        check_parent(live, "first")
    plan = {"statistics": [{"statistic": "count"}], "epsilon": 0.5}
    with pytest.raises(BadProposal, match="live table"):
        proposal_of(live, plan, 2, 0)
    assert list(move_to_store(live.tenant_id)) == []
    with pytest.raises(UploadUsed):
        register_dataset(
            tenant=live.tenant, owner=owner.user, upload=upload, declaration=_declaration(live)
        )


def _declaration(live: Dataset) -> Declaration:
    return Declaration("Never", "", schema_of(current_version(live)), 10**9, 10**9)


def test_limits_of_a_person_make_a_version_over_the_same_table(
    browser: Client,
    server: Owner,
    owner: Membership,
    analyst: Membership,
    ask: Ask,
    answer_all: Answer,
) -> None:
    """M95: And the table is asked with them."""
    person = {"unit": "person", "private_id": "id", "max_rows_per_unit": "3"}
    live = registered(browser, server, **person)
    version = change_unit_bounds(dataset=live, max_rows=2, max_groups=None, user=owner.user)
    assert (version.file_seal, version.max_rows_per_unit) == ("live", 2)
    ask(analyst, of=Dataset.objects.get(pk=live.pk))
    assert answer_all() == 1
    assert Query.objects.get().state == Query.State.RELEASED


def test_deleting_forgets_the_password_and_a_discarded_upload_too(
    browser: Client, server: Owner, owner: Membership
) -> None:
    """M95: There is no file to delete; what was declared, the ledger and the log stay."""
    discarded = connected(browser, server, table="people")
    assert browser.post(reverse("datasets:discard", args=[discarded.pk])).status_code == 302
    assert LiveTable.objects.get().sealed == ""
    live = registered(browser, server)
    version = _of_two(browser, live)
    with pytest.raises(NoFile):
        delete_version_data(version=version, user=owner.user)
    archive_dataset(dataset=live, user=owner.user)
    page = reverse("datasets:delete_data", args=[live.pk])
    assert "The password of its live table" in browser.get(page).text
    delete_data(dataset=live, user=owner.user)
    assert {table.sealed for table in LiveTable.objects.all()} == {""}
    assert AuditEntry.objects.filter(action="DATASET_DATA_DELETED").count() == 1


def _of_two(browser: Client, live: Dataset) -> Any:
    """The first version of two."""
    before = current_version(live)
    assert _declares(browser, live, age__upper="60").status_code == 302
    return before


def test_new_data_waits_for_an_officer_here_too(
    browser: Client, server: Owner, officer: Membership
) -> None:
    """M95: There is nothing to resemble, and the look can be had."""
    change_new_data_rule(tenant=officer.tenant, waits=True, user=officer.user)
    live = registered(browser, server)
    assert live.held_reason == "new_data"
    let_begin(version=current_version(live), membership=officer, reason="seen")
    live.refresh_from_db()
    assert live.held_at is None
    assert _declares(browser, live, age__upper="60").status_code == 302
    live.refresh_from_db()
    assert live.held_reason == "new_data"


@pytest.mark.parametrize(
    ("kind", "becomes"),
    [
        ("share_held_dataset_budget", "shares"),
        ("release_held_dataset", "stays"),
        ("discard_held_dataset", "goes"),
    ],
)
def test_two_persons_decide_about_a_table_that_is_there_twice(
    browser: Client, server: Owner, officer: Membership, kind: str, becomes: str
) -> None:
    """M95: It shares the budget, or goes; a second budget over the same table is not to be had."""
    first = registered(browser, server)
    held = registered(browser, server, name="Again")
    sent = {"kind": kind, "reason": "looked at"}
    sent |= {"earlier": str(first.pk)} if becomes == "shares" else {}
    browser.post(reverse("datasets:held", args=[held.pk]), sent)
    request = ChangeRequest.objects.latest("requested_at")
    approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=decide_as_agreed)
    held.refresh_from_db()
    assert (held.budget_id == first.budget_id) is (becomes == "shares")
    assert (held.held_at is None) is (becomes == "shares")
    assert (held.archived_at is not None) is (becomes == "goes")
    sealed = LiveTable.objects.get(dataset=held).sealed
    assert (sealed == "") is (becomes == "goes")


def test_a_table_that_could_be_asked_about_gets_no_second_budget_once_it_is_archived_and_held(
    browser: Client, elsewhere: Client, server: Owner
) -> None:
    """M95: Neither another organisation's nor its own, and its claim is not let go."""
    first = registered(browser, server)
    now = clock.now()
    held = {"held_at": now, "held_reason": "paused", "archived_at": now}
    Dataset.objects.filter(pk=first.pk).update(**held)
    for client in (elsewhere, browser):
        again = registered(client, server, name="Again")
        assert (again.held_reason, again.opened_at) == ("like_earlier_data", None)
    with pytest.raises(DatabaseError, match="until it is discarded"), transaction.atomic():
        LiveTable.objects.filter(dataset=first).update(claim="")


def test_beside_a_table_that_is_held_again_none_is_let_begin_with_a_budget_of_its_own(
    browser: Client, officer: Membership, server: Owner
) -> None:
    """M95, F11: what was spent on the first one counts, whoever holds it meanwhile."""
    first = registered(browser, server)
    Dataset.objects.filter(pk=first.pk).update(held_at=clock.now(), held_reason="paused")
    again = registered(browser, server, name="Again")
    sent = {"kind": "release_held_dataset", "reason": "looked at"}
    browser.post(reverse("datasets:held", args=[again.pk]), sent)
    request = ChangeRequest.objects.latest("requested_at")
    approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=decide_as_agreed)
    again.refresh_from_db()
    assert again.held_at is not None
