"""H4: fields that a visitor adds to a form or body are ignored or refused."""

from typing import Any

import pytest
from django.urls import reverse

from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.tenants.models import ApiToken, Invitation, User
from tests.eager import read_waiting
from tests.integration.access.world import World
from tests.integration.access.writes import WRITES, Write, send
from tests.integration.datasets.joins.received import received_file
from tests.integration.datasets.registering import declared

pytestmark = pytest.mark.django_db


def forged(world: World) -> dict[str, Any]:
    """Everything that somebody might hope to set."""
    stranger = world.people["stranger"]
    return {
        "tenant": str(stranger.tenant_id),
        "tenant_id": str(stranger.tenant_id),
        "user": str(stranger.user_id),
        "membership": str(stranger.id),
        "owner": str(stranger.user_id),
        "analyst": str(stranger.user_id),
        "role": "admin",
        "is_active": "false",
        "spent_nano": "0",
        "reserved_nano": "0",
        "limit_nano": "999000000000",
        "cost_nano": "1",
        "state": "released",
        "password": "chosen by somebody else",
    }


def with_forged(world: World, name: str) -> Any:
    write = WRITES[name]
    assert isinstance(write, Write)
    body = {**forged(world), **write.body()}
    ids = write.before(world)
    return send(world, name, Write(write.actor, write.action, lambda: body), ids)


def test_an_invitation_is_to_the_administrator_s_tenant_and_still_has_to_be_accepted(
    world: World,
) -> None:
    """H4"""
    with_forged(world, "people:invitations")
    made = Invitation.objects.get(email="invited@example.org")
    assert (made.tenant, made.role) == (world.people["admin"].tenant, "analyst")
    assert (made.consent, made.accepted_by) == ("", None)
    assert not User.objects.filter(email="invited@example.org").exists()


def test_a_token_acts_as_who_made_it(world: World) -> None:
    """H4"""
    with_forged(world, "tenants:tokens")
    token = ApiToken.objects.get(name="nightly")
    assert token.membership == world.people["analyst"]
    token.membership.refresh_from_db()
    assert token.membership.role == "analyst"


def test_a_changed_role_moves_nobody_to_another_tenant(world: World) -> None:
    """H4"""
    analyst = world.people["analyst"]
    with_forged(world, "people:member_role")
    analyst.refresh_from_db()
    assert (analyst.tenant, analyst.role) == (world.people["admin"].tenant, "admin")


def test_a_dataset_belongs_to_who_registers_it_and_starts_with_nothing_spent(
    world: World,
) -> None:
    """H4"""
    address = reverse("datasets:register", kwargs=received_file(world))
    world.browser("owner").post(address, {**forged(world), **declared()})
    read_waiting()
    made = Dataset.objects.get(name="People")
    owner = world.people["owner"]
    assert (made.tenant, made.owner) == (owner.tenant, owner.user)
    assert (made.budget.limit_nano, made.budget.spent_nano) == (3_000_000_000, 0)


@pytest.mark.parametrize("name", ["datasets:describe", "datasets:limit"])
def test_editing_a_dataset_touches_neither_spending_nor_ownership(world: World, name: str) -> None:
    """H4"""
    before = Dataset.objects.get(tenant=world.people["owner"].tenant, slug=world.own["slug"])
    with_forged(world, name)
    after = Dataset.objects.get(pk=before.pk)
    assert (after.tenant_id, after.owner_id) == (before.tenant_id, before.owner_id)
    assert after.budget.spent_nano == before.budget.spent_nano
    assert after.budget.limit_nano <= before.budget.limit_nano


def test_a_question_in_the_form_costs_what_it_costs_and_is_the_analyst_s(world: World) -> None:
    """H4"""
    with_forged(world, "queries:ask")
    query = Query.objects.latest("submitted_at")
    analyst = world.people["analyst"]
    assert (query.analyst, query.tenant) == (analyst.user, analyst.tenant)
    assert (query.cost_nano, query.state) == (500_000_000, "queued")


def test_the_api_refuses_keys_that_a_plan_does_not_have(world: World) -> None:
    """H4: nothing is reserved for a plan with more in it than a plan has."""
    budgets = list(Budget.objects.order_by("pk").values())
    answer = with_forged(world, "v1:query-submit")
    assert answer.status_code == 400
    assert "spent_nano" in answer.content.decode()
    assert list(Budget.objects.order_by("pk").values()) == budgets


def test_an_analyst_s_api_tells_no_paths_and_no_true_sizes(world: World) -> None:
    """H4: fingerprints, files, rows and bytes of the data are the owner's alone."""
    api = world.api("analyst")
    bodies = [
        api.get(reverse("v1:dataset-list")).content.decode(),
        api.get(reverse("v1:dataset-detail", args=["visits"])).content.decode(),
    ]
    for hidden in ("fingerprint", "byte_size", "duckdb", "path", "sqlite", "postgres", '"200"'):
        assert not any(hidden in body for body in bodies), hidden
    assert not any(": 200" in body or ":200" in body for body in bodies)
