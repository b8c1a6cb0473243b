"""The wall stands on PostgreSQL only; on the embedded profile one file says what is left of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection

from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Project, ProjectMember, Role
from tests.cast import join
from tests.made_once import made_once
from tests.servers.postgres import APP

_EMBEDDED = "test_embedded.py"

Rows = list[tuple[Any, ...]]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Each profile collects the files that are about it, so that nothing is skipped."""
    if not collection_path.name.startswith("test_"):
        return None
    return (collection_path.name == _EMBEDDED) != (connection.vendor == "sqlite") or None


@made_once
def two_tenants(
    owner: Membership,
    analyst: Membership,
    dataset: Dataset,
    stranger: Membership,
    foreign_dataset: Dataset,
    ask: Callable[..., Query],
    answer_all: Callable[[], int],
) -> tuple[Membership, Membership]:
    """The analysts of two tenants, each with a project, a question that waits and an answer."""
    fiona = join(stranger.tenant, Role.ANALYST, "fiona")
    ask(analyst), ask(fiona, of=foreign_dataset)
    answer_all()
    ask(analyst), ask(fiona, of=foreign_dataset)
    for member in (analyst, fiona):
        project = Project.objects.create(tenant=member.tenant, name="Study")
        ProjectMember.objects.create(tenant=member.tenant, project=project, user=member.user)
    return analyst, fiona


def rows(statement: str, *parameters: Any) -> Rows:
    """Raw SQL, as the connection stands."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters or None)
        return cursor.fetchall() if cursor.description else []


def told() -> tuple[str, str]:
    """The role and the tenant that the connection stands with."""
    return rows("SELECT current_user::text, current_setting('dpgov.tenant', true)")[0]


@contextmanager
def connected_as(role: str = APP, **settings: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection of this role's own, which sees what is committed and was told nothing else."""
    known = connection.settings_dict
    options = " ".join(f"-c {name.replace('__', '.')}={value}" for name, value in settings.items())
    with psycopg.connect(
        host=known["HOST"],
        port=known["PORT"],
        dbname=known["NAME"],
        user=role,
        password=known["PASSWORD"],
        options=options,
        autocommit=True,
    ) as opened:
        yield opened
