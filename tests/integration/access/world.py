"""Two tenants with everything in them, and a way to knock at any route as anybody."""

import copy
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from django.core.cache import caches
from django.db import transaction
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.tenants.models import ApiToken, Membership
from tests.answers import Answer
from tests.cast import make_token
from tests.integration.access.notices import notice_of
from tests.integration.access.routes import Kind, Route, all_routes

_NOWHERE = "00000000-0000-0000-0000-00000000dead"
_MISSING = {
    "slug": "nowhere",
    "query_id": _NOWHERE,
    "saved_id": _NOWHERE,
    "survey_id": _NOWHERE,
    "survey_code": "nowhere",
    "joint_id": _NOWHERE,
    "ready_made_id": _NOWHERE,
    "approval_id": _NOWHERE,
    "request_id": _NOWHERE,
    "upload_id": _NOWHERE,
    "arrival_id": _NOWHERE,
    "dataset_id": _NOWHERE,
    "archived_id": _NOWHERE,
    "version_id": _NOWHERE,
    "version_number": 999_999,
    "membership_id": _NOWHERE,
    "project_id": _NOWHERE,
    "change_id": _NOWHERE,
    "budget_id": _NOWHERE,
    "shared_budget_id": _NOWHERE,
    "allocation_id": _NOWHERE,
    "notice_id": _NOWHERE,
    "webhook_id": _NOWHERE,
    "invitation_id": _NOWHERE,
    "reference": _NOWHERE,
    "sequence": 999_999,
    "size": 999_999,
}
_RANDOM = re.compile(
    r'nonce="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"|"X-CSRFToken": "[^"]*"'
    r"|&quot;X-CSRFToken&quot;: &quot;[^&]*&quot;"
)
# Routes that take a word from a fixed list; these are words that they know.
_WORDS = {"fmt": "csv", "period": "week", "lesson": "definition"}
_KEYS = {"key": "x-y", "uidb36": "0", "token": "x", "provider_id": "x", "pk": 1}


class Knocked(Answer, Protocol):
    """An answer, and the text that was read before everything was undone."""

    text_of_body: str


@dataclass(frozen=True)
class World:
    """The people by role, and the things of each tenant by the name of their path parameter."""

    people: dict[str, Membership]
    own: dict[str, Any]
    foreign: dict[str, Any]
    clients: dict[tuple[str, Kind], Client] = field(default_factory=dict)

    def url(self, route: Route, actor: str, thing: str) -> str:
        """The route's path to the actor's own, a foreign, or a missing thing."""
        things = {"own": self.own, "foreign": self.foreign, "missing": _MISSING}[thing]
        known = {**_KEYS, **_WORDS, **things}
        if thing == "own" and actor in self.people:
            known |= self._of_a_person(self.people[actor], route.parameters)
        return reverse(route.name, kwargs={name: known[name] for name in route.parameters})

    def _of_a_person(self, person: Membership, parameters: Collection[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if "reference" in parameters:
            token = ApiToken.objects.filter(membership=person, name="own").get()
            found["reference"] = token.reference
        if "notice_id" in parameters:
            found["notice_id"] = notice_of(person)
        return found

    def knock(self, actor: str, kind: Kind, method: str, url: str) -> Knocked:
        """One request, and whatever it changed undone."""
        client = self.client(actor, kind)
        cookies = copy.deepcopy(client.cookies)
        with transaction.atomic():
            response: Any = client.generic(method, url, data="", content_type=_content_type(kind))
            response.text_of_body = _body(response)
            transaction.set_rollback(True)
        client.cookies = cookies
        knocked: Knocked = response
        return knocked

    def client(self, actor: str, kind: Kind) -> Client:
        """A signed-in browser or an API client with a token; of nobody for "anonymous"."""
        key = (actor, kind)
        if key not in self.clients:
            client = self._token(actor) if kind is Kind.API else self._browser(actor)
            client.handler = _one_handler(kind)
            self.clients[key] = client
        return self.clients[key]

    def browser(self, actor: str) -> Client:
        """A signed-in browser."""
        return self.client(actor, Kind.PAGE)

    def api(self, actor: str) -> APIClient:
        """An API client with a token."""
        client = self.client(actor, Kind.API)
        assert isinstance(client, APIClient)
        return client

    def route(self, name: str) -> Route:
        """The route of this name."""
        return next(route for route in all_routes() if route.name == name)

    def _browser(self, actor: str) -> Client:
        browser = Client()
        if actor != "anonymous":
            browser.force_login(self.people[actor].user)
        return browser

    def _token(self, actor: str) -> APIClient:
        client = APIClient()
        if actor != "anonymous":
            member = self.people[actor]
            _, value = make_token(member, "knock")
            client.credentials(HTTP_AUTHORIZATION=f"Token {value}")
        return client


@contextmanager
def undone(world: World) -> Iterator[None]:
    """Whatever happens within, the next one finds the world as it was, and nobody signed in."""
    people = copy.deepcopy(world.people)
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    world.people.update(people)
    world.clients.clear()
    forget_rates()


def forget_rates() -> None:
    """As after a pause: one route's knocks are not counted against the next one's."""
    for store in caches.all(initialized_only=True):
        store.clear()


@cache
def _one_handler(kind: Kind) -> Any:
    """Loading the middleware looks at every static file: once is enough."""
    return (APIClient if kind is Kind.API else Client)().handler


def _body(response: Any) -> str:
    if response.streaming:
        text: bytes = b"".join(response)
        return text.decode()
    # A file may be no text; what matters of it here is the names that could be in it.
    content: bytes = response.content
    return content.decode(errors="replace")


def _content_type(kind: Kind) -> str:
    return "application/json" if kind is Kind.API else "application/x-www-form-urlencoded"


def tenant_things(route: Route) -> set[str]:
    """The parameters of a route that name something belonging to a tenant."""
    return set(route.parameters) & set(_MISSING)


def without_randomness(response: Knocked) -> str:
    """The body without nonces and CSRF tokens, which differ at each request."""
    return _RANDOM.sub("", response.text_of_body)


def paused(world: World) -> dict[str, Any]:
    """A pause that can be ended."""
    world.browser("owner").post(reverse("datasets:pause", args=["visits"]), {"reason": "a doubt"})
    return {}


def with_terms(world: World) -> dict[str, Any]:
    """Terms of use that can be accepted."""
    sent = {"text": "For research alone."}
    world.browser("owner").post(reverse("datasets:set_terms", args=["visits"]), sent)
    return {}
