"""Shared by every test: real databases, the cast, and what must hold after each test.

Test runs are set up in tests/profile.py (which servers) and tests/both_profiles.py (both in turn).
"""

import gc
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

import pytest
from celery.signals import before_task_publish
from django.conf import settings
from django.core.cache import caches
from django.db import connection
from django.test import TransactionTestCase

from dpgov.tenants.boundary import EVERYBODY, Scope, acting_for
from tests.emptying import empty_the_database
from tests.examples import load_profiles
from tests.tables import make_once

pytest_plugins = ["tests.made_once", "tests.cast"]


def pytest_configure() -> None:
    settings.PASSWORD_HASHERS = ["tests.hashers.CheapArgon2"]
    load_profiles()


# The longest first, so that no worker is left alone with one of them at the end.
_FIRST = ("journeys", "answering", "wall")
# Python looks after 700, and at all of this every so often, which takes a good part of a run.
_NEW_BEFORE_A_LOOK = 50_000
# What is marked so has nothing to say on this database: no server to cut, no past to live.
_ELSEWHERE = {"sqlite": "production", "postgresql": "embedded"}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Marks by folder."""
    folder = _folder(item)
    if folder == "journeys":
        item.add_marker("journey")
    if folder == "statistical":
        item.add_marker("statistical")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Whole folders, so that each module stays together, and nothing that is of other servers."""
    here, elsewhere = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        (elsewhere if item.get_closest_marker(_ELSEWHERE[connection.vendor]) else here).append(item)
    config.hook.pytest_deselected(items=elsewhere)
    order = {folder: place for place, folder in enumerate(_FIRST)}
    items[:] = sorted(here, key=lambda item: order.get(_folder(item), len(order)))


def _folder(item: pytest.Item) -> str:
    """What kind of test it is; the folders within the journeys are journeys too."""
    return "journeys" if "journeys" in item.path.parts else item.path.parent.name


def pytest_collection_finish() -> None:
    """Thousands of tests and a whole product stay: nobody need look at them for garbage again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_BEFORE_A_LOOK)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """A test database need not survive a power cut, so SQLite does not wait for the disk.

    Its tables are made once for all processes of a run.
    """
    if connection.vendor == "sqlite":
        options = connection.settings_dict["OPTIONS"]
        options["init_command"] = options["init_command"].replace("=FULL", "=OFF")
    make_once()


@pytest.fixture(scope="session", autouse=True)
def _flush_may_empty_append_only_tables() -> Generator[None]:
    """Transactional tests empty the database afterwards; only then may rows go that stay."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty_the_database)
        yield


@pytest.fixture(scope="session", autouse=True)
def _doors_act_as_the_application() -> Generator[None]:
    """Fixtures prepare and look as the owner; whatever enters a tenant is the application's role.

    So every test of a page, of the API, of a worker or of a command also finds a forgotten tenant
    and a privilege that is missing. What signs the log is the sweeper's role, and what archives it
    the owner's.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scope, "settings", _with_the_role)
        for place in _SIGNING:
            patch.setattr(f"{place}.acting_for", _as_the_sweeper)
        patch.setattr(f"{_ARCHIVING}.acting_for", _as_the_owner)
        yield


_SIGNING = (
    "dpgov.sweeper.checkpoints",
    "dpgov.oversight.management.commands.checkpoint",
    "dpgov.oversight.management.commands.rotate_checkpoint_key",
)
_ARCHIVING = "dpgov.oversight.management.commands.archive_log"
_acts: ContextVar[str] = ContextVar("acts", default="application")


@contextmanager
def _acting(role: str, *whom: Any, **also: Any) -> Iterator[None]:
    before = _acts.set(role)
    try:
        with acting_for(*whom, **also):
            yield
    finally:
        _acts.reset(before)


_as_the_sweeper, _as_the_owner = partial(_acting, "sweeper"), partial(_acting, "owner")


def _with_the_role(scope: Scope) -> dict[str, str]:
    told = {"dpgov.tenant": scope.tenant, "dpgov.user": scope.user}
    roles = {
        "owner": "none",
        "sweeper": settings.DPGOV_DATABASE_SWEEPER_ROLE,
        "application": settings.DPGOV_DATABASE_APP_ROLE,
    }
    return {**told, "role": "none" if scope.tenant == EVERYBODY else roles[_acts.get()]}


@pytest.fixture(autouse=True)
def _no_message_leaves_inside_a_transaction() -> Generator[None]:
    """J3: a message about a row that may yet be rolled back, or that nobody else can see."""
    early: list[object] = []

    def look(sender: object = None, **_: object) -> None:
        if any(not vars(block)["_from_testcase"] for block in connection.atomic_blocks):
            early.append(sender)

    before_task_publish.connect(look, weak=False)
    yield
    before_task_publish.disconnect(look)
    assert early == []


@pytest.fixture(autouse=True)
def _nobody_runs_out_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """No round is cut short because the machine is busy: this clock runs where a test lets it."""
    monkeypatch.setattr("dpgov.operation.clock.running", lambda: 0.0)


@pytest.fixture(autouse=True)
def _ledger_re_adds(request: pytest.FixtureRequest) -> Generator[None]:
    """A4: after every test that touches the database, the ledger adds up to its own entries."""
    touches = request.node.get_closest_marker("django_db") or (
        {"db", "transactional_db", "live_server"} & set(request.fixturenames)
    )
    if not touches:
        yield
        return
    request.getfixturevalue("db")
    for cache in caches.all(initialized_only=True):
        cache.clear()
    yield
    if connection.needs_rollback or request.node.get_closest_marker("tampers_with_ledger"):
        return
    from dpgov.budgets.findings import ledger_findings
    from dpgov.budgets.models import Budget

    # Most tests have none, and looking thoroughly takes longer than many of them.
    assert not Budget.objects.exists() or ledger_findings() == []
