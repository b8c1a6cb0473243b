"""Two who register the same live table at one moment: one budget, whoever sees whom."""

from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import connection
from django.test import Client

from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Dataset, LiveTable, Upload
from dpgov.datasets.services import RefusedTable
from dpgov.datasets.services.live import registering
from dpgov.datasets.services.live.asking import look_at
from dpgov.datasets.services.live.kinds import spark
from dpgov.datasets.services.live.marks import is_known
from dpgov.engines.live import CellKind
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.integration.children import run_at_once
from tests.integration.datasets.live.connecting import connected
from tests.integration.datasets.spark import door
from tests.unit.engines.postgres.owner import Owner

pytestmark = pytest.mark.django_db(transaction=True)
REFUSED, OPEN, HELD = 3, 4, 5


@pytest.fixture(params=["postgresql", "spark"])
def uploads(
    request: pytest.FixtureRequest,
    browser: Client,
    elsewhere: Client,
    server: Owner,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> list[Upload]:
    """One table that two organisations connected."""
    if request.param == "postgresql":
        return [connected(each, server) for each in (browser, elsewhere)]
    settings.DPGOV_LIVE = settings.DPGOV_LIVE | {"folders": {door.ADDRESS: (door.ROOT,)}}
    monkeypatch.setattr(spark, "is_installed", lambda: True)
    monkeypatch.setattr(spark, "check_source", lambda *_, **__: {"age": CellKind.INTEGER})
    return [door.connected(each) for each in (browser, elsewhere)]


def _declaration() -> Declaration:
    age = column_spec("age", numeric_domain("0", "120", "1"), "drop", "")
    schema = DatasetSchema((age,), PrivacyUnit(), Neighbouring.ADD_REMOVE, 1, 1000)
    return Declaration("People", "", schema, 3 * NANO, NANO)


def _registers(owner: Membership, upload: Upload) -> int:
    with acting_for(owner.tenant_id):
        try:
            registered = registering.register_live(
                tenant=owner.tenant,
                owner=owner.user,
                upload=upload,
                declaration=_declaration(),
                follower=Mock(),
            )
        except RefusedTable:
            return REFUSED
    return HELD if registered.is_held else OPEN


def _both_after(monkeypatch: pytest.MonkeyPatch, name: str, work: Callable[..., Any]) -> None:
    """Nobody goes on after this step before both have done it."""
    barrier = get_context("fork").Barrier(2)

    def together(*arguments: Any, **options: Any) -> Any:
        found = work(*arguments, **options)
        barrier.wait()
        return found

    monkeypatch.setattr(registering, name, together)


def _outcomes(uploads: list[Upload], *owners: Membership) -> list[int]:
    pairs = zip(owners, uploads, strict=True)
    return sorted(run_at_once([partial(_registers, *pair) for pair in pairs]))


def test_of_two_at_once_one_is_open_and_the_other_is_held(
    uploads: list[Upload],
    owner: Membership,
    stranger: Membership,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """M97: Both have looked at the table before either writes."""
    _both_after(monkeypatch, "look_at", look_at)
    assert _outcomes(uploads, owner, stranger) == [OPEN, HELD]
    assert Dataset.objects.filter(held_at__isnull=True).count() == 1
    assert LiveTable.objects.exclude(claim="").count() == 1


def test_of_two_who_did_not_see_each_other_the_database_refuses_one(
    uploads: list[Upload],
    owner: Membership,
    stranger: Membership,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """M97: No lock but that of the one claim: both compared before either had written.

    On PostgreSQL in two transactions at once. SQLite has one writer, who sees nobody here.
    """
    monkeypatch.setattr(registering, "one_table_at_a_time", lambda: None)
    if connection.vendor == "postgresql":
        _both_after(monkeypatch, "is_known", is_known)
    else:
        monkeypatch.setattr(registering, "is_known", lambda *_: False)
    assert _outcomes(uploads, owner, stranger) == [REFUSED, OPEN]
    assert Dataset.objects.count() == 1
    assert LiveTable.objects.exclude(claim="").count() == 1
