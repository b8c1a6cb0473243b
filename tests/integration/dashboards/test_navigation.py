"""The bar and the tabs: five sections, each page in one of them, and only what a role may open."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.dashboards.navigation import SECTIONS, page_of, sections_for
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import ALLOWED, abilities
from tests.integration.access.doors import DOORS
from tests.integration.access.routes import Kind
from tests.integration.dashboards.reading import page

ClientFor = Callable[[Membership], Client]

# What belongs to the reader, whatever they do: the user menu and the bell lead there.
_ONES_OWN = {"tenants", "notices"}
# The foot of every page leads there.
_LINKED = {
    *("explain:glossary", "dashboards:search", "dashboards:suggest"),
    "explain:understanding_general",
}


def test_every_page_belongs_to_a_section() -> None:
    """A new page without a place in the menus is noticed here."""
    homeless = {
        name
        for name, door in DOORS.items()
        if door.kind is Kind.PAGE and "GET" in door.methods and page_of(name) is None
    }
    assert {name for name in homeless if name.partition(":")[0] not in _ONES_OWN} == _LINKED


@pytest.mark.django_db
@pytest.mark.parametrize("role", ["owner", "analyst", "officer", "admin"])
def test_each_entry_leads_to_a_page_that_the_role_may_open(
    role: str, client_for: ClientFor, request: pytest.FixtureRequest
) -> None:
    membership: Membership = request.getfixturevalue(role)
    can = abilities(membership)
    client = client_for(membership)
    sections = sections_for(can, "")
    assert [str(section.text) for section in sections] == BARS[role]
    for section in sections:
        for place in section.places:
            html = page(client, reverse(place.page.name))
            assert f'href="{reverse(section.name)}"' in html


@pytest.mark.django_db
@pytest.mark.parametrize("role", ["owner", "analyst", "officer"])
def test_the_page_of_all_questions_has_one_name(
    role: str, in_use: list[Query], client_for: ClientFor, request: pytest.FixtureRequest
) -> None:
    """In the tabs, as its heading and title, and where an answer says what it belongs to."""
    client = client_for(request.getfixturevalue(role))
    html = page(client, reverse("dashboards:history"))
    answer = page(client, reverse("queries:detail", args=[in_use[0].pk]))
    names = {
        "title": re.search(r"<title>\s*(.*?) ·", html),
        "heading": re.search(r"<h1[^>]*>\s*(.*?)\s*</h1>", html),
        "tab": re.search(
            r'<a[^>]*aria-current="page"[^>]*>\s*([^<]*?)\s*<', html[html.index("<main") :]
        ),
        "crumb": re.search(r'class="crumbs"[^>]*><a[^>]*>([^<]*)</a>', answer),
    }
    assert {place: found and found[1] for place, found in names.items()} == dict.fromkeys(
        names, "Questions"
    )


BARS = {
    "owner": ["Home", "Datasets", "Questions", "Approvals", "Projects"],
    "analyst": ["Home", "Datasets", "Questions", "Requests for budget"],
    "officer": ["Home", "Datasets", "Questions", "Approvals", "Log"],
    "admin": ["Home", "Datasets", "Organisation"],
}


def test_no_page_stands_in_two_sections() -> None:
    names = [name for s in SECTIONS for page in s.pages for name in (page.name, *page.covers)]
    assert len(names) == len(set(names))


def test_a_section_counts_what_waits_behind_all_its_pages() -> None:
    everything = {permission.name.lower(): True for permission in ALLOWED}
    sections = sections_for(everything, "oversight:approval", {"decisions": 2, "requests": 3})
    (approvals,) = (section for section in sections if section.active)
    assert approvals.waiting == 5
    assert [place.waiting for place in approvals.places] == [2, 3, 0]
