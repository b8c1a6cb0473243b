"""SQLite has no roles and no policies: what remains there is the first wall, and nothing breaks."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection

from dpgov.queries.answering.turns import Turn, next_turn, number_waiting
from dpgov.queries.crossing import counts_by_state, tenants_with_unfinished_queries
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_as, acting_for, change_to, current_scope
from dpgov.tenants.crossing import belongs_somewhere, tenants, users_of_token_key
from dpgov.tenants.models import Membership
from dpgov.tenants.wall.findings import findings

pytestmark = pytest.mark.django_db


def test_entering_a_tenant_asks_the_database_nothing(analyst: Membership) -> None:
    asked: list[str] = []

    def note(execute: Callable[..., object], sql: str, *rest: object) -> object:
        asked.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        with acting_for(analyst.tenant_id), acting_as(analyst.user_id):
            change_to(analyst.tenant_id)
        assert current_scope() is None
    assert asked == []
    with acting_for(None):
        assert Membership.objects.exists()


def test_the_questions_across_tenants_have_the_same_answers(
    analyst: Membership, stranger: Membership, ask: Callable[..., Query]
) -> None:
    query = ask(analyst)
    assert next_turn() == Turn(analyst.tenant_id, query.pk, 1)
    assert number_waiting() == 1
    assert tenants_with_unfinished_queries() == [analyst.tenant_id]
    assert counts_by_state()["queued"][0] == 1
    assert [tenant.slug for tenant in tenants()] == ["elsewhere", "harbour"]
    assert belongs_somewhere(stranger.user_id)
    assert not belongs_somewhere(uuid4())
    assert users_of_token_key("all are seen") == [None]


def test_migrating_raises_no_wall_and_finds_nothing_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command("migrate", verbosity=0)
    assert capsys.readouterr().err == ""
    assert findings() == []
