"""The password of a live table is in our database sealed, and nowhere else (decision 47)."""

import base64
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as kept_settings
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset, LiveTable, Upload
from dpgov.datasets.services.fingerprint_key import FingerprintKeyChanged
from dpgov.datasets.services.live import sealing
from dpgov.datasets.services.live.kinds.base import SourceNames
from dpgov.datasets.services.live.marks import marks_of
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Tenant
from tests.cast import Ask
from tests.integration.datasets.live.connecting import connect, connected, register, registered
from tests.unit.engines.postgres.owner import READER, Owner

pytestmark = pytest.mark.django_db(transaction=True)
Answer = Callable[[], int]
SignIn = Callable[[Membership], Client]
WRONG = "a-wrong-password-of-nobody"


def _everything_stored() -> Iterator[str]:
    """Every row of every table, and every file of the state folder, as text."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            yield from (repr([_bytes(cell) for cell in row]) for row in cursor.fetchall())
    for path in Path(kept_settings.DPGOV_HOME).rglob("*"):
        if path.is_file():
            yield path.read_bytes().decode("latin-1")


def _bytes(cell: object) -> object:
    return bytes(cell).decode("latin-1") if isinstance(cell, memoryview | bytes) else cell


def _spellings(secret: str) -> list[str]:
    return [secret, base64.b64encode(secret.encode()).decode().rstrip("="), secret.encode().hex()]


def test_a_password_is_stored_nowhere_in_the_open_and_said_nowhere(
    browser: Client,
    server: Owner,
    analyst: Membership,
    ask: Ask,
    answer_all: Answer,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """M94: The right one and a wrong one, through every step: in rows, files, logs and pages."""
    with caplog.at_level(logging.DEBUG):
        connect(browser, server, password=WRONG)
        live = registered(browser, server)
        ask(analyst, of=live)
        assert answer_all() == 1
        server.does("DROP TABLE people CASCADE")
        ask(analyst, of=live)
        assert answer_all() == 1
        page = browser.get(reverse("datasets:live", args=[live.slug])).text
    stored = "\n".join(_everything_stored())
    assert LiveTable.objects.get().sealed in stored
    told = "\n".join([caplog.text, *capfd.readouterr(), page, repr(LiveTable.objects.get())])
    assert "cannot be asked" in told
    for secret in (server.server.password, WRONG):
        for spelling in _spellings(secret):
            assert spelling not in stored
            assert spelling not in told
    assert len(AuditEntry.objects.filter(action="LIVE_TABLE_CONNECTED")) == 1


def test_a_sealed_password_opens_for_its_own_place_alone(tenant: Tenant, settings: Any) -> None:
    """M94: Neither beside another host, database or role, nor in another organisation."""
    live = LiveTable(
        tenant=tenant, host="a.example", port=1, database="d", schema="s", table="t", role="r"
    )
    live.sealed = sealing.sealed(live, "grüße")
    assert sealing.opened(live) == "grüße"
    assert len({len(sealing.sealed(live, "x" * size)) for size in (1, sealing.LONGEST)}) == 1
    assert sealing.sealed(live, "grüße") != live.sealed
    stays = live.sealed
    other = Tenant.objects.create(slug="other", name="Other")
    for name, value in (
        ("host", "b.example"),
        ("port", 2),
        ("database", "e"),
        ("role", "admin"),
        ("tenant", other),
        ("sealed", ""),
        ("sealed", stays[:-8] + "AAAAAAA="),
    ):
        before = getattr(live, name)
        setattr(live, name, value)
        with pytest.raises(sealing.NotOpened) as failed:
            sealing.opened(live)
        assert failed.value.__context__ is None
        setattr(live, name, before)
    settings.DPGOV_FINGERPRINT_KEY = bytes(32)
    with pytest.raises(sealing.NotOpened):
        sealing.opened(live)


def test_a_worker_that_cannot_open_a_password_leaves_the_question_to_others(
    browser: Client, server: Owner, analyst: Membership, ask: Ask, answer_all: Answer, settings: Any
) -> None:
    """M94: What one machine lacks ends nothing."""
    live = registered(browser, server)
    query = ask(analyst, of=live)
    right = settings.DPGOV_FINGERPRINT_KEY
    settings.DPGOV_FINGERPRINT_KEY = bytes(32)
    assert answer_all() == 0
    query.refresh_from_db()
    assert (query.state, query.attempts) == (Query.State.QUEUED, 0)
    settings.DPGOV_FINGERPRINT_KEY = right
    assert answer_all() == 1


def test_with_another_key_no_table_gets_a_fresh_budget(
    browser: Client, server: Owner, tenant: Tenant, settings: Any
) -> None:
    """M94: it would be known again by nobody, whoever connects it."""
    first = registered(browser, server)
    right = settings.DPGOV_FINGERPRINT_KEY
    settings.DPGOV_FINGERPRINT_KEY = bytes(32)
    refused = register(browser, connected(browser, server), name="Again")
    assert "lost the key by which it recognises data" in refused.content.decode()
    assert list(Dataset.objects.all()) == [first]
    with pytest.raises(FingerprintKeyChanged):
        marks_of(SourceNames("claim", {}, frozenset()))
    settings.DPGOV_FINGERPRINT_KEY = right
    assert marks_of(SourceNames("claim", {}, frozenset()))


def test_an_owner_replaces_role_and_password_once_they_were_tried(
    browser: Client, server: Owner, analyst: Membership, ask: Ask, answer_all: Answer
) -> None:
    """M94: What is wrong changes nothing; the entry has neither; the next question uses them."""
    live = registered(browser, server)
    page, before = reverse("datasets:live", args=[live.slug]), LiveTable.objects.get().sealed
    refused = browser.post(page, {"role": READER, "password": WRONG})
    assert refused.status_code == 422
    assert WRONG not in refused.text
    assert LiveTable.objects.get().sealed == before
    server.does("DROP ROLE IF EXISTS second")
    server.does("CREATE ROLE second LOGIN PASSWORD 'another of somebody'")
    server.does("GRANT SELECT ON people TO second")
    server.does(f"ALTER ROLE {READER} NOLOGIN")
    try:
        sent = {"role": "second", "password": "another of somebody"}
        assert browser.post(page, sent).status_code == 302
        ask(analyst, of=live)
        assert answer_all() == 1
    finally:
        server.does(f"ALTER ROLE {READER} LOGIN")
        server.does("DROP OWNED BY second")
        server.does("DROP ROLE second")
    assert Query.objects.get().state == Query.State.RELEASED
    entry = AuditEntry.objects.get(action="LIVE_CREDENTIALS_REPLACED")
    assert entry.detail == '{"name":"Live people"}'


def _connects(browser: Client, server: Owner) -> Any:
    return connect(browser, server)


def _replaces(browser: Client, server: Owner) -> Any:
    sent = {"role": READER, "password": server.server.password}
    return browser.post(reverse("datasets:live", args=["live-people"]), sent)


def _declares(browser: Client, _server: Owner) -> Any:
    return browser.post(reverse("datasets:declare_live", args=["live-people"]))


@pytest.mark.parametrize(
    ("does", "action"),
    [
        (_connects, "LIVE_TABLE_CONNECTED"),
        (_replaces, "LIVE_CREDENTIALS_REPLACED"),
        (_declares, "LIVE_TABLE_CONNECTED"),
    ],
)
def test_each_step_makes_one_entry_or_does_not_happen(
    browser: Client,
    server: Owner,
    monkeypatch: pytest.MonkeyPatch,
    does: Callable[[Client, Owner], Any],
    action: str,
) -> None:
    """G1: for doors that need an owner's server."""
    registered(browser, server)
    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr("dpgov.audit.services._store", _full)
        does(browser, server)
    before = (Upload.objects.count(), list(LiveTable.objects.values_list("sealed", flat=True)))
    entries = set(AuditEntry.objects.values_list("pk", flat=True))
    assert (before[0], len(before[1])) == (1, 1)
    assert does(browser, server).status_code == 302
    new = AuditEntry.objects.exclude(pk__in=entries)
    assert list(new.values_list("action", flat=True)) == [action]


def _full(*_: object) -> None:
    raise RuntimeError("the disk is full")


def test_only_owners_of_the_organisation_see_where_a_table_is(
    browser: Client,
    elsewhere: Client,
    server: Owner,
    analyst: Membership,
    officer: Membership,
    client_for: SignIn,
) -> None:
    """M94: To everybody who sees the dataset it is a live table in PostgreSQL."""
    live = registered(browser, server)
    page, detail = (reverse(f"datasets:{name}", args=[live.slug]) for name in ("live", "detail"))
    assert f"{server.server.address}</dd>" in browser.get(page).text
    for client in (client_for(analyst), client_for(officer)):
        assert client.get(page).status_code in (403, 404)
        told = client.get(detail)
        assert "Live table in PostgreSQL" in told.text
        assert str(server.server.port) not in told.text
    assert elsewhere.get(page).status_code == 404
    entries = "".join(AuditEntry.objects.values_list("detail", flat=True))
    assert str(server.server.port) not in entries


def test_where_a_password_goes_is_said_once(
    browser: Client, server: Owner, dataset: Dataset
) -> None:
    """M94: The database refuses another table for a dataset, and a version without its kind."""
    live = registered(browser, server)
    other = connected(browser, server, table="people").live
    for changed in (live, dataset):
        with pytest.raises(DatabaseError), transaction.atomic():
            Dataset.objects.filter(pk=changed.pk).update(live=other)
    version = live.versions.get()
    version.pk, version.number, version.file_seal = None, 2, "0" * 32
    with pytest.raises(DatabaseError), transaction.atomic():
        version.save(force_insert=True)
