"""The cast of every test: a tenant with an owner, an analyst, an officer and an administrator, and
a stranger who owns a dataset in another tenant.

`dataset` is small and real: 200 invented rows in a file that the engine reads.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from dpgov.budgets.errors import BudgetFrozen
from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.tenants.models import ApiToken, Membership, Role, Tenant, User
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

Ask = Callable[..., Query]

COUNT: tuple[dict[str, str], ...] = ({"statistic": "count"},)


def join(tenant: Tenant, role: Role, name: str) -> Membership:
    """A new person with this role; they sign in by `client_for`, without a password."""
    user = User.objects.create_user(f"{name}@{tenant.slug}.example.org", name=name.title())
    return Membership.objects.create(tenant=tenant, user=user, role=role)


def make_token(member: Membership, name: str) -> tuple[ApiToken, str]:
    """A token that acts as this membership, and its value; the log hears nothing of it."""
    mark = member.user.password_mark
    made: tuple[ApiToken, str] = ApiToken.objects.create(
        user=member.user, membership=member, name=name, password_mark=mark
    )
    return made


@made_once
def tenant(db: None) -> Tenant:
    return Tenant.objects.create(slug="harbour", name="Harbour Statistics Office")


@made_once
def owner(tenant: Tenant) -> Membership:
    return join(tenant, Role.OWNER, "olga")


@made_once
def analyst(tenant: Tenant) -> Membership:
    return join(tenant, Role.ANALYST, "anna")


@made_once
def officer(tenant: Tenant) -> Membership:
    return join(tenant, Role.OFFICER, "oscar")


@made_once
def admin(tenant: Tenant) -> Membership:
    return join(tenant, Role.ADMIN, "adam")


@made_once
def stranger(db: None) -> Membership:
    """The owner of something in another tenant."""
    elsewhere = Tenant.objects.create(slug="elsewhere", name="Elsewhere Institute")
    return join(elsewhere, Role.OWNER, "sven")


@pytest.fixture
def client_for() -> Callable[[Membership], Client]:
    """A browser in which this person is signed in."""

    def sign_in(membership: Membership) -> Client:
        client = Client()
        client.force_login(membership.user)
        return client

    return sign_in


@pytest.fixture
def api_for() -> Callable[[Membership], APIClient]:
    """An API client with a real token of this membership."""

    def with_token(membership: Membership) -> APIClient:
        _, token = make_token(membership, "test")
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
        return client

    return with_token


@made_once
def dataset(owner: Membership) -> Dataset:
    """The dataset "visits": ε 10 in all, ε 2 for one question."""
    return register_small_dataset(owner, name="Visits")


@made_once
def foreign_dataset(stranger: Membership) -> Dataset:
    """The stranger's own dataset; to everybody else it must look missing."""
    return register_small_dataset(stranger, name="Foreign")


@pytest.fixture
def ask(dataset: Dataset) -> Ask:
    """Submit a question as this membership; it stays waiting until `answer_all`."""
    from dpgov.queries.asking.submit import submit

    def submit_plan(
        membership: Membership,
        *,
        statistics: tuple[dict[str, Any], ...] = COUNT,
        epsilon: object = 0.5,
        where: tuple[dict[str, Any], ...] = (),
        group_by: tuple[dict[str, Any], ...] = (),
        of: Dataset | None = None,
        key: str | None = None,
    ) -> Query:
        asked = of or dataset
        plan = {
            "dataset": asked.slug,
            "statistics": list(statistics),
            "where": list(where),
            "group_by": list(group_by),
            "epsilon": epsilon,
        }
        return submit(
            membership=membership,
            dataset=asked,
            raw_plan=plan,
            idempotency_key=key or str(uuid4()),
        ).query

    return submit_plan


@pytest.fixture
def answer_all() -> Callable[[], int]:
    """Answer and publish what waits, here and now, without waiting; returns how many were ended."""

    def answer() -> int:
        waiting = Query.objects.filter(state=Query.State.QUEUED).values_list("pk", flat=True)
        return sum(answer_now(pk) for pk in list(waiting.order_by("submitted_at")))

    return answer


def answer_now(query_id: UUID) -> bool:
    """What a worker and then the publisher do with one question, as if its moment had come."""
    ended = answer_query(query_id)
    publish_now()
    return ended


def answer_query(query_id: UUID) -> bool:
    """What a worker does with one question if it is free; True if this call was the one that did.

    The answer stays sealed. Safe to call any number of times, at once and from anywhere.
    """
    from dpgov.queries.answering.answer import answered
    from dpgov.queries.answering.lease import claim

    try:
        held = claim(query_id)
    except BudgetFrozen:
        return False
    return held is not None and answered(held)


def publish_now() -> int:
    """Publish all that is sealed as if its moment had come; how many.

    How busy the machine of the tests is must not double anything.
    """
    from dpgov.queries.answering.publishing import publish_due

    Query.objects.filter(state=Query.State.SEALED).update(doublings_owed=0)
    return publish_due(timezone.now() + timedelta(days=400))
