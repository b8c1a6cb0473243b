"""Everything that can be read, found by walking the routes as the access tests do."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from django.test import Client
from django.urls import reverse

from bench.cast import Cast
from bench.plans import plan_of
from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.answering.publishing import publish_due
from dpgov.queries.asking.quote import quote
from dpgov.queries.asking.submit import submit
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import ApiToken, Membership
from tests.cast import answer_query
from tests.integration.access import conftest as access
from tests.integration.access.doors import DOORS
from tests.integration.access.routes import ROLES, Kind, all_routes

Visit = tuple[str, Callable[[], object]]
_ROLES = ("owner", "analyst", "officer")
# The first takes as long as the file is long, by its nature; the second is of an older version.
WHOLE = {"dashboards:history_export", "datasets:delete_version"}
# Filters, sorts and far pages of the long lists.
_FURTHER = {
    f"{name}?{number}": query
    for name, queries in {
        "dashboards:history": (
            "?page=20",
            "?sort=cost_nano",
            "?sort=analyst",
            "?sort=dataset",
            "?state=waiting",
            "?state=failed",
            "?statistic=mean",
            "?since=2020-01-01",
            "?sort=submitted_at",
        ),
        "v1:query-list": ("?offset=900", "?state=waiting", "?state=released"),
        "oversight:audit_log": ("?before=500", "?action=DATASET_REGISTERED", "?dataset=none"),
    }.items()
    for number, query in enumerate(queries)
}


@dataclass(frozen=True, slots=True)
class Address:
    """A page or a list of the API as one role opens it."""

    name: str
    role: str
    kind: Kind
    url: str


@dataclass(frozen=True)
class Guests:
    """Signed-in browsers and tokens of each role, and one example of each thing with an address."""

    browsers: dict[str, Client]
    tokens: dict[str, Client]
    things: dict[str, Any]


def invite(cast: Cast) -> Guests:
    """Before the database is copied, so that both copies know them."""
    dataset, people = cast.datasets[0], cast.people
    asked = submit(
        membership=cast.analyst,
        dataset=dataset,
        raw_plan=plan_of(dataset.slug),
        idempotency_key="example",
    ).query
    answer_query(asked.pk)
    publish_due(asked.submitted_at + timedelta(days=1))
    small = cast.datasets[1]
    Budget.objects.filter(pk=small.budget_id).update(limit_nano=10 * NANO)
    small.budget.limit_nano = 10 * NANO
    things = access._things(small, asked, people["owner"], cast.analyst)
    return Guests(
        {role: _browser(people[role]) for role in ROLES},
        {role: _token(people[role]) for role in ROLES},
        {**things, "fmt": "csv", "slug": dataset.slug, "budget_id": dataset.budget_id},
    )


def _browser(member: Membership) -> Client:
    browser = Client(SERVER_NAME="localhost")
    browser.force_login(member.user)
    return browser


def _token(member: Membership) -> Client:
    _, value = ApiToken.objects.create(
        user=member.user, membership=member, name="bench", password_mark=member.user.password_mark
    )
    return Client(SERVER_NAME="localhost", headers={"Authorization": f"Token {value}"})


def visits(cast: Cast, guests: Guests) -> Iterator[Visit]:
    """The price check and a submission, then each page and list as each role that may see it."""
    yield "price check (service)", lambda: _quote(cast)
    yield "submission (service)", lambda: _submit(cast)
    for one in (*addresses(guests.things, _ROLES), *_further()):
        yield f"{one.name}, {one.role}", _visit(guests, one.role, one.kind, one.url)


def addresses(things: dict[str, Any], roles: Sequence[str]) -> Iterator[Address]:
    """Each page and list of the URLconf that can be opened, for each of the roles that may."""
    for route in all_routes():
        door = DOORS.get(route.name)
        if door is None or "GET" not in door.methods or door.kind not in (Kind.PAGE, Kind.API):
            continue
        if route.name in WHOLE or not route.parameters <= set(things):
            print(f"| {route.name} | not timed | | |")
            continue
        url = reverse(route.name, kwargs={name: things[name] for name in route.parameters})
        for role in roles:
            if role in door.roles - door.hidden_from:
                yield Address(route.name, role, door.kind, url)


def _further() -> Iterator[Address]:
    for name, query in _FURTHER.items():
        route = name.split("?", 1)[0]
        kind = Kind.API if name.startswith("v1:") else Kind.PAGE
        for role in ("owner", "analyst") if "audit" not in name else ("officer",):
            yield Address(f"{route} {query}", role, kind, reverse(route) + query)


def _visit(guests: Guests, role: str, kind: Kind, url: str) -> Callable[[], object]:
    client = (guests.tokens if kind is Kind.API else guests.browsers)[role]

    def visit() -> None:
        response = client.get(url)
        if response.status_code not in (200, 302, 400, 404):
            raise RuntimeError(f"{url} answered {response.status_code} to the {role}")
        if response.streaming:
            b"".join(response)

    return visit


def _quote(cast: Cast) -> None:
    with acting_for(cast.tenant.pk):
        dataset = Dataset.objects.select_related("budget").get(pk=cast.datasets[0].pk)
        quote(user=cast.analyst.user, dataset=dataset, raw_plan=plan_of(dataset.slug))


def _submit(cast: Cast) -> None:
    with patch("dpgov.queries.asking.submit.wake"), acting_for(cast.tenant.pk):
        dataset = Dataset.objects.select_related("budget").get(pk=cast.datasets[0].pk)
        submit(
            membership=cast.analyst,
            dataset=dataset,
            raw_plan=plan_of(dataset.slug),
            idempotency_key=str(uuid4()),
        )
