"""Parquet files that stay on their owner's storage become a dataset (decision 50)."""

from typing import Any

import pytest
from django.core.checks import WARNING
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve
from dpgov.audit.models import AuditEntry
from dpgov.datasets.checks import nothing_is_lacking
from dpgov.datasets.models import LiveTable, Upload
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services import change_new_data_rule, decide_as_agreed
from dpgov.datasets.services.live import sealing
from dpgov.datasets.services.live.kinds import spark
from dpgov.engines.base import DataNotOpened
from dpgov.engines.live import SourceRefused
from dpgov.engines.spark.checking import Problem
from dpgov.engines.spark.rows import Source
from dpgov.engines.spark.server import Server
from dpgov.tenants.models import Membership
from tests.integration.datasets.live.connecting import register
from tests.integration.datasets.spark.door import ADDRESS, ROOT, TOKEN, connect, connected
from tests.integration.datasets.spark.door import registered as at

pytestmark = pytest.mark.django_db(transaction=True)
Asked = list[tuple[Server, Source]]


def _problems(response: Any) -> dict[str, list[str]]:
    assert response.status_code == 422
    return {name: list(words) for name, words in response.context["form"].errors.items()}


def test_files_become_a_dataset_under_their_declarations(browser: Client, looked_at: Asked) -> None:
    """M96: Their token is sealed, for this server and path; where they are is for owners alone."""
    live = at(browser, "Files", path=f"{ROOT}people/")
    table = LiveTable.objects.get()
    assert (table.kind, table.path, table.is_cluster) == ("spark", f"{ROOT}people", True)
    assert TOKEN not in table.sealed
    assert sealing.opened(table) == TOKEN
    for name, value in (("path", f"{ROOT}other"), ("kind", "other"), ("host", "other.example")):
        before = getattr(table, name)
        setattr(table, name, value)
        with pytest.raises(sealing.NotOpened):
            sealing.opened(table)
        setattr(table, name, before)
    server, source = looked_at[-1]
    assert (server.address, server.token, server.is_encrypted) == (ADDRESS, TOKEN, True)
    assert (source.path, source.in_microseconds) == (f"{ROOT}people", False)
    assert [spec.name for spec in source.columns] == ["age", "sex"]
    assert schema_of(current_version(live)).is_cluster
    assert "through Spark" in browser.get(reverse("datasets:detail", args=[live.slug])).text
    assert f"{ROOT}people" in browser.get(reverse("datasets:live", args=[live.slug])).text
    entries = "".join(AuditEntry.objects.values_list("detail", flat=True))
    assert "hospital" not in entries
    assert "in_microseconds" not in entries


def test_that_moments_are_in_microseconds_is_declared_and_logged(
    browser: Client, looked_at: Asked
) -> None:
    """M96: Nobody can look into footers through Spark: the owner says it, and it stays said."""
    at(browser, "Files", in_microseconds="on")
    assert all(source.in_microseconds for _, source in looked_at)
    entry = AuditEntry.objects.get(action="DATASET_REGISTERED")
    assert '"declared_in_microseconds":true' in entry.detail


def test_a_server_or_a_path_on_no_list_is_never_asked(browser: Client, looked_at: Asked) -> None:
    """M96: Neither another folder of the server, nor a pattern, nor a way up."""
    for changes in (
        {"host": "10.0.0.7"},
        {"port": "15003"},
        *({"path": path} for path in ("s3a://hospital/other", ROOT, f"{ROOT}*", f"{ROOT}../x")),
        *({"path": path} for path in (f"{ROOT}_delta_log", "S3A://hospital/data/people")),
        {"path": "file:///etc/passwd"},
    ):
        assert list(_problems(connect(browser, **changes))) == ["host"], changes
    assert looked_at == []
    assert not Upload.objects.exists()


def test_what_the_cluster_refuses_is_said_at_its_field(
    browser: Client, looked_at: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M96: In words of ours, and nothing is kept."""
    refusals: list[tuple[Exception, str]] = [
        (SourceRefused(Problem.NOT_FOUND), "path"),
        (SourceRefused(Problem.TABLE_FORMAT), "path"),
        (DataNotOpened(), "host"),
    ]
    for refusal, field in refusals:
        monkeypatch.setattr(spark, "check_source", _raises(refusal))
        assert list(_problems(connect(browser))) == [field]
    assert set(spark.Spark().problems) == set(Problem)
    assert not LiveTable.objects.exists()


def _raises(refusal: Exception) -> Any:
    def check(*_: object, **__: object) -> None:
        raise refusal

    return check


def test_without_the_client_the_door_says_so_and_calls_nobody(
    browser: Client, looked_at: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M96: What is an optional dependency is asked for by its name."""
    monkeypatch.setattr(spark, "is_installed", lambda: False)
    page = browser.get(f"{reverse('datasets:connect')}?from=spark").text
    assert "has no client of Spark" in page
    assert list(_problems(connect(browser))) == ["__all__"]
    assert looked_at == []


def test_a_listed_server_without_the_client_is_said_to_whoever_installs(
    allowed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upgrade that takes the client away would otherwise be noticed by questions that wait."""
    monkeypatch.setattr(spark, "is_installed", lambda: False)
    assert [(one.id, one.level) for one in nothing_is_lacking()] == [("dpgov.W020", WARNING)]
    monkeypatch.setattr(spark, "is_installed", lambda: True)
    assert nothing_is_lacking() == []


@pytest.mark.parametrize(
    ("path", "is_held"),
    [
        (f"{ROOT}people/visits", True),
        (f"{ROOT}people/visits/year=2024/a.parquet", True),
        (f"{ROOT}people", True),
        (f"{ROOT}people/others", False),
        (f"{ROOT}people/visits2", False),
    ],
)
def test_folders_of_which_one_lies_in_the_other_are_held(
    browser: Client, elsewhere: Client, looked_at: Asked, path: str, is_held: bool
) -> None:
    """M96: Whoever brings them; two folders in a third have nothing to do with each other."""
    first = at(browser, "First", path=f"{ROOT}people/visits")
    assert first.held_at is None
    second = at(elsewhere, "Second", path=path)
    assert (second.held_reason == "like_earlier_data") is is_held


def test_a_path_is_known_through_another_server_and_under_another_scheme(
    browser: Client, elsewhere: Client, looked_at: Asked
) -> None:
    """M96: Two persons say whether it is the same storage."""
    at(browser, "First", path=f"{ROOT}people")
    other = {"host": "other.example.org", "path": "s3://hospital/data/people"}
    assert at(elsewhere, "Second", **other).held_reason == "like_earlier_data"


def test_what_was_discarded_before_anybody_asked_may_be_registered_anew(
    browser: Client, officer: Membership, looked_at: Asked
) -> None:
    """M96: The database keeps one claim for a table, and lets none go that somebody could use."""
    change_new_data_rule(tenant=officer.tenant, waits=True, user=officer.user)
    first = at(browser, "First")
    claimed = LiveTable.objects.get()
    assert claimed.claim
    for claim in ("", "0" * 32):
        with pytest.raises(DatabaseError), transaction.atomic():
            LiveTable.objects.filter(pk=claimed.pk).update(claim=claim)
    again = at(browser, "Again")
    assert LiveTable.objects.get(dataset=again).claim == ""
    sent = {"kind": "discard_held_dataset", "reason": "looked at"}
    browser.post(reverse("datasets:held", args=[first.pk]), sent)
    request = ChangeRequest.objects.get()
    approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=decide_as_agreed)
    claimed.refresh_from_db()
    assert (claimed.claim, claimed.sealed) == ("", "")


def test_the_page_offers_each_kind_that_is_allowed(browser: Client, looked_at: Asked) -> None:
    """M96: And says what is not recognised: rows that came in a file before."""
    page = browser.get(reverse("datasets:connect")).text
    assert "File or folder" in page
    assert "Rows that were registered as a file before are not recognised" in page
    assert "?from=postgresql" not in page
    upload = connected(browser)
    form = browser.get(reverse("datasets:register", args=[upload.pk])).text
    assert "note" in form
    assert register(browser, upload).status_code == 302
