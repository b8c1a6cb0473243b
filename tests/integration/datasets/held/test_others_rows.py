"""L1: nothing that an owner sees, counts or times tells anything of somebody else's rows."""

import re
from collections.abc import Callable
from time import perf_counter
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.approvals.selectors import requests_of
from dpgov.approvals.services import approve
from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import change_new_data_rule, decide_as_agreed, request_decision
from dpgov.datasets.services.held.deciding import SHARE_HELD_DATASET_BUDGET
from dpgov.notices.events.follow import follow
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.datasets import quick
from tests.made_once import made_once

SignIn = Callable[[Membership], Client]
ApiFor = Callable[[Membership], APIClient]
Cells = tuple[tuple[object, ...], ...]
NAMES = ("age", "zip", "diagnosis", "cost")


def row(number: int) -> tuple[object, ...]:
    """An invented person; every number has another one."""
    return (18 + number * 7 % 70, 1000 + number * 37, "ABC"[number % 3], number * 113 % 9000)


PEOPLE: Cells = tuple(row(number) for number in range(60))
GUESS, SOMEBODY_ELSE = row(500), row(501)
INVENTED: Cells = tuple(row(number) for number in range(900, 912))
# What is uploaded to find out whether the guess is among the people.
PROBES: dict[str, tuple[tuple[str, ...], Cells]] = {
    "two known rows, the guess, an invented one": (NAMES, (*PEOPLE[:2], GUESS, INVENTED[0])),
    "ids alone": (("zip",), tuple((each[1],) for each in (*PEOPLE[:15], GUESS, *INVENTED))),
    "everybody and the guess": (NAMES, (*PEOPLE, GUESS)),
    "everybody in another order": (NAMES[::-1], tuple(each[::-1] for each in (GUESS, *PEOPLE))),
}


@made_once
def neighbour(owner: Membership) -> Membership:
    """Another owner of the same organisation."""
    return join(owner.tenant, Role.OWNER, "otto")


@pytest.fixture(params=["in the same organisation", "in another organisation"])
def prober(request: Any, neighbour: Membership, stranger: Membership) -> Membership:
    return neighbour if request.param == "in the same organisation" else stranger


def without_chance(text: str) -> str:
    """Without what is drawn at random, and without the time of day."""
    text = re.sub(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", "(id)", text)
    text = re.sub(r'(csrfmiddlewaretoken" value|nonce)="[^"]*"', r"\1=", text)
    text = re.sub(r"X-CSRFToken[^}]*", "", text)
    text = re.sub(r"<time.*?</time>", "(time)", text, flags=re.DOTALL)
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(Z|\+00:00)?", "(time)", text)


def statements(made: CaptureQueriesContext) -> list[str]:
    """What was asked of the database, without the values."""
    asked = [without_chance(each["sql"]) for each in made.captured_queries]
    assert len(asked) > 20
    return [re.sub(r"'[^']*'|\b\d+\b|\(id\)|\"s\d+_x\d+\"", "?", each) for each in asked]


def everything_seen(prober: Membership, dataset: Dataset, browser: Client, api: APIClient) -> Any:
    """Every page and answer that could say something of the dataset, in bytes."""
    names = ("datasets:list", "dashboards:home", "dashboards:history")
    addresses = [reverse(name) for name in (*names, "oversight:approvals", "notices:list")]
    addresses.append(reverse("limits:shared_budgets"))
    of_it = ("datasets:detail", "datasets:versions", "dashboards:budget")
    addresses += [reverse(name, args=[dataset.slug]) for name in of_it]
    addresses.append(reverse("datasets:held", args=[dataset.pk]))
    found: dict[str, Any] = {address: browser.get(address) for address in addresses}
    found |= {path: api.get(f"/api/v1/datasets/{path}") for path in ("", f"{dataset.slug}/")}
    seen = {
        without_chance(path): (answer.status_code, without_chance(answer.content.decode()))
        for path, answer in found.items()
    }
    entries = AuditEntry.objects.filter(tenant_id=prober.tenant_id).order_by("sequence")
    return seen, list(entries.values_list("sequence", "action"))


def world(
    victim: Membership,
    prober: Membership,
    probe: tuple[tuple[str, ...], Cells],
    *,
    there: bool,
    look: Callable[[Membership, Dataset], Any],
    waits: bool = False,
) -> Any:
    """What the prober sees with the guess among the people, or somebody else; nothing stays."""
    names, cells = probe
    with transaction.atomic():
        change_new_data_rule(tenant=prober.tenant, waits=waits, user=victim.user)
        quick.registered(victim, (*PEOPLE, GUESS if there else SOMEBODY_ELSE), NAMES, "Earlier")
        with CaptureQueriesContext(connection) as made:
            dataset = quick.registered(prober, cells, names)
        # The pages below begin the list of statements anew.
        asked = statements(made)
        follow(prober.tenant_id)
        seen = look(prober, dataset)
        state = (dataset.slug, dataset.held_reason, dataset.budget.limit_nano)
        transaction.set_rollback(True)
    return state, asked, seen


@pytest.mark.django_db
@pytest.mark.parametrize("kind", PROBES)
def test_a_probe_looks_the_same_whether_or_not_the_guess_is_in_the_data(
    owner: Membership, prober: Membership, kind: str, client_for: SignIn, api_for: ApiFor
) -> None:
    """L1: every page, answer, notice, number in the log and statement to the database."""
    browser, api = client_for(prober), api_for(prober)

    def look(member: Membership, dataset: Dataset) -> Any:
        return everything_seen(member, dataset, browser, api)

    present, absent = (
        world(owner, prober, PROBES[kind], there=there, look=look) for there in (True, False)
    )
    assert present == absent
    assert present[0][1] == ""


@pytest.mark.django_db
def test_where_new_data_waits_a_probe_waits_either_way(
    owner: Membership, prober: Membership, client_for: SignIn, api_for: ApiFor
) -> None:
    """L1: and the page of what waits says the same."""
    browser, api = client_for(prober), api_for(prober)

    def look(member: Membership, dataset: Dataset) -> Any:
        return everything_seen(member, dataset, browser, api)

    probe = PROBES["everybody and the guess"]
    present, absent = (
        world(owner, prober, probe, there=there, look=look, waits=True) for there in (True, False)
    )
    assert present == absent
    assert present[0][1] == Dataset.HeldReason.NEW_DATA


@pytest.mark.django_db
def test_a_version_brought_to_somebody_else_s_dataset_tells_nothing_of_its_rows(
    owner: Membership, neighbour: Membership
) -> None:
    """L1: an owner may add a version to a colleague's dataset; it is compared with their own."""
    outcomes = []
    for there in (GUESS, SOMEBODY_ELSE):
        with transaction.atomic():
            quick.registered(owner, (*PEOPLE, there), NAMES, "Earlier")
            other = quick.registered(owner, [row(n) for n in range(200, 260)], NAMES, "Other")
            probe = (*PEOPLE[:2], GUESS, INVENTED[0])
            with CaptureQueriesContext(connection) as made:
                version = quick.version_added(neighbour, other, probe, NAMES)
            outcomes.append((version.held_reason, statements(made)))
            transaction.set_rollback(True)
    assert outcomes[0] == outcomes[1]


@pytest.mark.django_db
def test_a_version_like_data_of_one_s_own_tells_nothing_of_the_rows_that_are_there(
    owner: Membership, neighbour: Membership
) -> None:
    """L1: what a colleague's rows resemble decides nothing about a file like the prober's own."""
    probe = (*PEOPLE[:2], GUESS, INVENTED[0])
    outcomes = []
    for there in (GUESS, SOMEBODY_ELSE):
        with transaction.atomic():
            theirs = quick.registered(owner, (*PEOPLE, there), NAMES, "Theirs")
            own = quick.registered(neighbour, probe, NAMES, "Own")
            with (
                CaptureQueriesContext(connection) as made,
                pytest.raises(InvalidDomain, match="resembles other data of yours"),
            ):
                quick.version_added(neighbour, theirs, probe, NAMES)
            outcomes.append((own.held_reason, statements(made)))
            transaction.set_rollback(True)
    assert outcomes[0] == outcomes[1]


@pytest.mark.django_db
def test_a_colleague_does_not_see_that_an_owner_s_dataset_is_held(
    owner: Membership, neighbour: Membership, officer: Membership, client_for: SignIn
) -> None:
    """L1: that it resembles what its owner brought before is of that owner's rows."""
    quick.registered(owner, PEOPLE, NAMES, "Earlier")
    held = quick.registered(owner, PEOPLE[1:], NAMES, "Later")
    assert held.held_reason == Dataset.HeldReason.LIKE_EARLIER_DATA
    page = reverse("datasets:held", args=[held.pk])
    seen = [client_for(each).get(page).status_code for each in (owner, officer, neighbour)]
    assert seen == [200, 200, 404]
    listed = client_for(neighbour).get(reverse("datasets:list")).content.decode()
    assert "Later" not in listed


def test_a_colleague_sees_no_request_about_an_owner_s_held_dataset(
    owner: Membership, neighbour: Membership, officer: Membership, client_for: SignIn
) -> None:
    """L1: nor on Home, while it waits and when it is decided; the owner and officers see it."""
    earlier = quick.registered(owner, PEOPLE, NAMES, "Earlier")
    held = quick.registered(owner, PEOPLE[1:], NAMES, "Later")
    request = request_decision(
        membership=owner,
        dataset=held,
        kind=SHARE_HELD_DATASET_BUDGET,
        reason="my own file again",
        earlier=earlier,
    )
    browsers = [client_for(each) for each in (owner, officer, neighbour)]
    one = reverse("oversight:approval", args=[request.pk])
    listed = reverse("oversight:approvals")
    for waits, pages in ((True, (listed, reverse("dashboards:home"))), (False, (listed,))):
        assert [each.get(one).status_code for each in browsers] == [200, 200, 404]
        for page in pages:
            told = [each.get(page).content.decode() for each in browsers]
            assert ["Let a held dataset share" in html for html in told] == [True, True, False]
        if waits:
            approve(
                request_id=request.pk, decider=officer, reason="yes", carry_out=decide_as_agreed
            )


def test_what_an_owner_asks_for_requests_does_not_grow_with_their_datasets(
    owner: Membership,
) -> None:
    """L1: owners have thousands, and few that were ever held."""
    asked = []
    for name in ("Earlier", "Later"):
        quick.registered(owner, PEOPLE, NAMES, name)
        with CaptureQueriesContext(connection) as found:
            list(requests_of(owner))
        asked.append([each["sql"] for each in found])
    assert asked[0] == asked[1]
    assert len(asked[0]) == 1


@pytest.mark.long
@pytest.mark.django_db
def test_200_probes_are_not_told_apart(owner: Membership, stranger: Membership) -> None:
    """L1: by what is seen not at all, and by the time it takes no better than by chance."""
    probes = list(PROBES.values())
    seen: dict[bool, list[Any]] = {True: [], False: []}
    took: list[tuple[float, bool]] = []
    for number in range(200):
        there = bool(number // 4 % 2)
        began = perf_counter()
        found = world(owner, stranger, probes[number % 4], there=there, look=lambda *_: None)
        took.append((perf_counter() - began, there))
        seen[there].append(found)
    assert seen[True] == seen[False]
    ranks = [place for place, (_, there) in enumerate(sorted(took), start=1) if there]
    # Wilcoxon's rank sum of 100 and 100: mean 10,050, standard deviation 409.
    assert abs(sum(ranks) - 10_050) < 5 * 409
