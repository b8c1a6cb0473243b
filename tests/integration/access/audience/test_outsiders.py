"""L37: to whoever is not named, a named-only dataset is not there, through any door.

What could leak: its name, address, columns or ids in a list, a filter, a search, an error, a
notification or beside a shared budget; and that it exists, by another status, other bytes, or more
or other statements than for what there never was. To whom: an analyst of the same organisation, who
knows every address, and had an allocation, a project, notes, requests and notifications about it
while it was open to all. Every route is walked: a new one is covered by being there.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget
from dpgov.budgets.services import allocate
from dpgov.budgets.services.shared_budgets import join_shared_budget
from dpgov.datasets.models import Column, Dataset
from dpgov.datasets.services import change_audience
from dpgov.notices.kinds import Kind as Told
from dpgov.notices.models import Event, Notice
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import BudgetRequest, Query
from dpgov.queries.workbench.budget_requests import ask_for_budget
from dpgov.queries.workbench.saved import save_question
from dpgov.tenants.models import ApiToken, Membership, Project, ProjectMember, Role
from tests.agreed import given_a_budget_of_its_own
from tests.cast import join
from tests.declared import declare_otherwise
from tests.integration.access.doors import DOORS
from tests.integration.access.routes import Kind, Route, all_routes
from tests.integration.access.world import Knocked, World, tenant_things, without_randomness
from tests.integration.queries.asking.approving import wanted_approval
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db
# Stands in its name, its address, its description and every column: one word to search for.
WORD = "zanzibar"
GUARDED = [route for route in all_routes() if DOORS[route.name].kind in (Kind.PAGE, Kind.API)]
# What is named in an address and is about no dataset.
_BESIDE = {"reference", "survey_id", "survey_code"}
# What people type and click on lists: the same of the hidden one and of one that never was.
_ASKED = ("q", "dataset", "version-of", "version_of", "about", "from", "other", "next", "purpose")
_NEVER_WAS = "00000000-0000-4000-8000-00000000dead"
_MARKS = ("SAVEPOINT", "RELEASE SAVEPOINT", "ROLLBACK TO SAVEPOINT", "BEGIN", "COMMIT")
# Made anew for each form and each program that is shown, and the moment up to which a line goes.
_KEYS = re.compile(r'name="key" value="[^"]*"|notebook-[0-9a-f]+|\d{4}-\d\d-\d\dT[\d:.]+')
_VALUES = re.compile(r"'[^']*'|\b\d+\b|\bs\d+_x\d+\b")


@pytest.fixture
def hidden(world: World) -> Dataset:
    """For Anna alone, after Zoe had all that an analyst can have of it."""
    anna, owner = world.people["analyst"], world.people["owner"]
    zoe = join(anna.tenant, Role.ANALYST, "zoe")
    ApiToken.objects.create(user=zoe.user, membership=zoe, name="own")
    dataset = Dataset.objects.get(slug="visits")
    had = _had_by(zoe, dataset)
    dataset = _renamed(dataset)
    _sharing(dataset, register_small_dataset(owner, name="Traffic"))
    had["notice_id"] = _told(zoe, dataset)
    world.own.update(slug=dataset.slug, **had)
    world.people["outsider"] = zoe
    change_audience(dataset=dataset, named_only=True, named={anna.pk}, user=owner.user)
    return dataset


def _renamed(dataset: Dataset) -> Dataset:
    for column in Column.objects.filter(version__dataset=dataset):
        declare_otherwise(Column.objects.filter(pk=column.pk), name=f"{WORD} {column.name}")
    words = {"slug": f"{WORD}-register", "name": "Zanzibar register", "description": "Zanzibar"}
    Dataset.objects.filter(pk=dataset.pk).update(**words)
    Budget.objects.filter(pk=dataset.budget_id).update(label=words["name"])
    return Dataset.objects.get(pk=dataset.pk)


def _sharing(dataset: Dataset, other: Dataset) -> None:
    given_a_budget_of_its_own(other, label="Traffic", limit_nano=5 * NANO)
    shared = Budget.objects.get(label="Residents of harbour")
    for one in (dataset, other):
        join_shared_budget(
            shared_budget=shared,
            dataset_budget=one.budget,
            actor=OPERATOR,
        )


def _had_by(zoe: Membership, dataset: Dataset) -> dict[str, Any]:
    plan = {"statistics": [{"statistic": "count"}], "epsilon": 1}
    project = Project.objects.create(tenant=zoe.tenant, name="Tides")
    ProjectMember.objects.create(tenant=zoe.tenant, project=project, user=zoe.user)
    granted = [
        allocate(
            dataset_budget=dataset.budget,
            holder=holder,
            limit_nano=NANO,
            actor=OPERATOR,
            reason="the tides",
        )
        for holder in (zoe.user, project)
    ]
    request = ask_for_budget(
        membership=zoe,
        dataset=dataset,
        about=BudgetRequest.About.ALLOCATION,
        epsilon_nano=2 * NANO,
        reason="the tides",
    )
    return {
        "saved_id": save_question(membership=zoe, dataset=dataset, name="Mine", plan=plan).pk,
        "request_id": request.pk,
        "approval_id": wanted_approval(zoe, dataset).pk,
        "allocation_id": granted[0].pk,
    }


def _told(zoe: Membership, dataset: Dataset) -> Any:
    now = timezone.now() - timedelta(days=1)
    detail = {"percent": 50, "of": "allocation", "slug": dataset.slug, "dataset": dataset.name}
    event = Event.objects.create(
        tenant=zoe.tenant, key="level", kind=Told.BUDGET, detail=detail, dataset=dataset, due_at=now
    )
    return Notice.objects.create(
        tenant=zoe.tenant, event=event, person=zoe.user, in_app=True, due_at=now
    ).pk


def test_no_route_tells_what_is_hidden_from_what_never_was(world: World, hidden: Dataset) -> None:
    """L37: status, bytes and statements are the same, of every thing that an address can name."""
    for kind in (Kind.PAGE, Kind.API):
        # What is read once for a visit is read here.
        world.knock("outsider", kind, "GET", "/datasets/")
    told_apart = [
        f"{method} {route.name}: {why}"
        for route in GUARDED
        if tenant_things(route) - _BESIDE
        for method in sorted(DOORS[route.name].methods)
        for why in _differences(world, route, method)
    ]
    assert told_apart == []


def _differences(world: World, route: Route, method: str) -> Iterator[str]:
    theirs, missing = (world.url(route, "outsider", thing) for thing in ("own", "missing"))
    one, asked_one = _knock(world, route, method, theirs)
    other, asked_other = _knock(world, route, method, missing)
    if one.status_code != other.status_code:
        yield f"{one.status_code} for the hidden, {other.status_code} for the missing"
    if without_randomness(one) != without_randomness(other):
        yield "other bytes"
    if asked_one != asked_other:
        yield f"other statements: {sorted(set(asked_one) ^ set(asked_other))}"
    yield from _secrets_in(one)


def _knock(world: World, route: Route, method: str, url: str) -> tuple[Knocked, list[str]]:
    """The answer, and the statements without their values."""
    with CaptureQueriesContext(connection) as captured:
        answer = world.knock("outsider", DOORS[route.name].kind, method, url)
    asked = [one["sql"] for one in captured if not one["sql"].startswith(_MARKS)]
    return answer, [_VALUES.sub("?", sql) for sql in asked]


def _secrets_in(answer: Knocked) -> list[str]:
    dataset = Dataset.objects.get(slug=f"{WORD}-register")
    ids = (dataset.pk, dataset.budget_id, *dataset.versions.values_list("pk", flat=True))
    text = f"{answer.text_of_body} {dict(answer.headers)}".lower()
    return [f"tells {secret}" for secret in (WORD, *map(str, ids)) if secret in text]


@pytest.mark.usefixtures("hidden")
def test_no_page_or_list_names_it(world: World) -> None:
    """L37: everything that can be opened without naming a thing, and the open dataset's pages."""
    told = [
        f"{route.name}: {why}"
        for route, url in _open_to(world)
        for why in _secrets_in(_knock(world, route, "GET", url)[0])
    ]
    assert told == []


def _open_to(world: World) -> Iterator[tuple[Route, str]]:
    """What this person can open: with nothing in its address, or about the dataset beside it."""
    seen = World(world.people, world.own | {"slug": "traffic"}, {}, world.clients)
    for route in GUARDED:
        door = DOORS[route.name]
        opens = "GET" in door.methods and "analyst" in door.roles
        if opens and tenant_things(route) <= {"slug"} | _BESIDE:
            yield route, seen.url(route, "outsider", "own")


def test_no_search_or_filter_finds_it(world: World, hidden: Dataset) -> None:
    """L37: asked for by name, address, column and id, as what never was is asked for."""
    told = [
        f"{route.name}: {sought}"
        for route, url in _open_to(world)
        for sought, never in (
            (WORD, "zanzobar"),
            (hidden.slug, "zanzobar-register"),
            (str(hidden.pk), _NEVER_WAS),
        )
        if _found(world, route, url, sought) != _found(world, route, url, never)
    ]
    assert told == []


def _found(world: World, route: Route, url: str, sought: str) -> tuple[int, str]:
    asked = urlencode(dict.fromkeys(_ASKED, sought))
    answer = _knock(world, route, "GET", f"{url}?{asked}")[0]
    text = _KEYS.sub("", without_randomness(answer))
    for written in (sought, sought.replace(" ", "+"), sought.replace(" ", "%20")):
        text = re.sub(re.escape(written), "what was sought", text, flags=re.IGNORECASE)
    return answer.status_code, text


def test_sql_and_plans_about_another_dataset_do_not_find_it(world: World, hidden: Dataset) -> None:
    """L37: naming it in a question of the dataset beside it is naming nothing."""
    answers = {
        name: [
            world.api("outsider")
            .post(f"/api/v1/datasets/traffic/{door}/", body, format="json")
            .content.decode()
            .replace(name, "it")
            for door, body in _naming(name)
        ]
        for name in (hidden.slug, f"{WORD} age", "nobody-knows")
    }
    assert answers[hidden.slug] == answers["nobody-knows"]
    assert answers[f"{WORD} age"] == answers["nobody-knows"]


def _naming(name: str) -> list[tuple[str, dict[str, Any]]]:
    mean = {"statistic": "mean", "column": name}
    return [
        ("sql", {"sql": f'SELECT COUNT(*) FROM "{name}" WITH EPSILON 0.1'}),
        ("sql", {"sql": f'SELECT AVG("{name}") FROM "traffic" WITH EPSILON 0.1'}),
        ("quote", {"statistics": [mean], "epsilon": 0.1}),
        ("quote", {"dataset": name, "statistics": [{"statistic": "count"}], "epsilon": 0.1}),
    ]


@pytest.mark.parametrize("actor", ["analyst", "owner", "officer", "admin"])
def test_who_is_named_and_who_governs_finds_it(world: World, hidden: Dataset, actor: str) -> None:
    """L37: the walks above would see it, if it were there to see."""
    for url in ("/datasets/", f"/datasets/{hidden.slug}/", f"/search/?q={WORD}"):
        answer = world.knock(actor, Kind.PAGE, "GET", url)
        assert (answer.status_code, WORD in answer.text_of_body.lower()) == (200, True), url


def test_named_again_everything_is_there_as_it_was(world: World, hidden: Dataset) -> None:
    """L37: notes, requests and notifications were hidden, not lost."""
    zoe, owner = world.people["outsider"], world.people["owner"]
    pages = ("/saved/", "/requests/", reverse("notices:list"), f"/datasets/{hidden.slug}/")
    before = [world.knock("outsider", Kind.PAGE, "GET", url).text_of_body for url in pages]
    change_audience(dataset=hidden, named_only=True, named={zoe.pk}, user=owner.user)
    after = [world.knock("outsider", Kind.PAGE, "GET", url).text_of_body for url in pages]
    assert [WORD in text.lower() for text in before] == [False] * 4
    assert [WORD in text.lower() for text in after] == [True] * 4


@pytest.mark.usefixtures("hidden")
def test_a_shared_budget_is_with_other_datasets(world: World) -> None:
    """L37: whose they are is not said, so that a hidden one is like another organisation's."""
    theirs = world.knock("outsider", Kind.PAGE, "GET", "/datasets/traffic/").text_of_body
    assert "and other datasets: they are about the same people" in theirs
    named = world.knock("analyst", Kind.PAGE, "GET", "/datasets/traffic/").text_of_body
    assert "and Zanzibar register: they are about the same people" in named


def test_an_outsider_is_told_of_no_question_of_others(world: World, hidden: Dataset) -> None:
    """L37: that answers are stored, on the home page, counts what this person could take."""
    asked = Query.objects.filter(dataset=hidden).values_list("pk", flat=True)
    home = world.knock("outsider", Kind.PAGE, "GET", "/").text_of_body
    assert asked
    assert [pk for pk in asked if str(pk) in home] == []
