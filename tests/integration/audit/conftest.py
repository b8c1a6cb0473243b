"""Logs with old months, and folders of their own for what leaves the database."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from dpgov.audit.archiving import archive_months, remove_archived
from dpgov.audit.export import json_lines
from dpgov.audit.keys.note import PublicKey
from dpgov.audit.selectors import announced_keys, stream
from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.audit.archives import MARCH, sign
from tests.integration.audit.logs import TENANT, write, write_month
from tests.integration.audit.worlds import World


@pytest.fixture
def own_folders(settings: Any, tmp_path: Path) -> None:
    """Of checkpoints, their key and the archive."""
    settings.DPGOV_CHECKPOINT_FOLDER = tmp_path / "checkpoints"
    settings.DPGOV_CHECKPOINT_KEY_FILE = tmp_path / "checkpoint_key"
    settings.DPGOV_ARCHIVE_FOLDER = tmp_path / "archive"


@pytest.fixture
def months(own_folders: None) -> list[bytes]:
    """Three months of a hundred entries, each of them signed; every line."""
    for month in (1, 2, 3):
        write_month(month)
        sign()
    return list(json_lines(stream(TENANT, upto=300)))


@pytest.fixture
def archived(months: list[bytes]) -> list[bytes]:
    """January and February have left the log."""
    archive_months(TENANT, MARCH)
    sign()
    assert remove_archived(TENANT) == 160
    return months


@pytest.fixture
def old_key(officer: Membership) -> PublicKey:
    """The key that has signed one checkpoint of the officer's log."""
    write(3, tenant_id=officer.tenant_id)
    call_command("checkpoint")
    (key,) = announced_keys(officer.tenant_id)
    return key


@pytest.fixture
def world(
    settings: Any,
    tmp_path: Path,
    dataset: Dataset,
    analyst: Membership,
    officer: Membership,
    ask: Callable[..., Query],
) -> World:
    """A dataset with a first checkpoint outside."""
    settings.DPGOV_CHECKPOINT_FOLDER = tmp_path / "checkpoints"
    world = World(dataset, partial(ask, analyst), officer)
    world.sign()
    return world
