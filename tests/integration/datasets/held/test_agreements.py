"""L1: data of two organisations is compared only while officers of both agree."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.datasets.crossing import agreed_with, parts_of_agreed
from dpgov.datasets.models import Dataset, FingerprintMark, VersionFingerprint
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import agree, end_agreement, resembling
from dpgov.engines.likeness import Likeness
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.datasets import quick
from tests.integration.datasets.held.test_others_rows import NAMES, PEOPLE, row
from tests.made_once import made_once

SignIn = Callable[[Membership], Client]
pytestmark = pytest.mark.django_db


@made_once
def their_officer(stranger: Membership) -> Membership:
    return join(stranger.tenant, Role.OFFICER, "olaf")


@made_once
def ours(owner: Membership, stranger: Membership) -> Dataset:
    """The same people here and there."""
    quick.registered(stranger, PEOPLE[1:], NAMES, "Secret study")
    return quick.registered(owner, PEOPLE, NAMES, "Ours")


def seen_by(client: Client, dataset: Dataset) -> str:
    page = client.get(reverse("datasets:look", args=[current_version(dataset).pk]))
    return str(page.content.decode())


def test_without_both_nothing_is_compared(
    ours: Dataset, officer: Membership, their_officer: Membership, client_for: SignIn
) -> None:
    """L1: neither with none, nor with one side's word, nor after one side took it back."""
    browser, here, there = client_for(officer), officer.tenant, their_officer.tenant
    steps: list[Callable[[], None]] = [
        lambda: None,
        lambda: agree(tenant=here, other=there.slug, user=officer.user),
        lambda: end_agreement(tenant=here, other=there.slug, user=officer.user),
        lambda: agree(tenant=there, other=here.slug, user=their_officer.user),
    ]
    for step in steps:
        step()
        assert "Elsewhere" not in seen_by(browser, ours)
        assert agreed_with(here.pk) == {}
        assert parts_of_agreed(here.pk, "", []) == []


def test_with_both_officers_of_both_see_the_likeness_and_the_organisation_s_name_alone(
    ours: Dataset, officer: Membership, their_officer: Membership, client_for: SignIn
) -> None:
    """L1: until one side ends it; an entry in the log of whoever acts, and in no other."""
    browser, here, there = client_for(officer), officer.tenant, their_officer.tenant
    browser.post(reverse("datasets:agreements"), {"other": there.slug})
    client_for(their_officer).post(reverse("datasets:agreements"), {"other": here.slug})
    page = seen_by(browser, ours)
    assert "Data of Elsewhere Institute: most of the rows" in page
    assert "Secret study" not in page
    theirs = Dataset.objects.get(name="Secret study")
    assert "Data of Harbour Statistics Office" in seen_by(client_for(their_officer), theirs)
    listed = browser.get(reverse("datasets:agreements")).content.decode()
    assert "Elsewhere Institute agreed too" in listed
    browser.post(reverse("datasets:end_agreement"), {"other": there.slug})
    assert "Elsewhere" not in seen_by(browser, ours)
    assert "Harbour" not in seen_by(client_for(their_officer), theirs).split("<main")[1]
    told = {
        tenant.slug: list(
            AuditEntry.objects.filter(tenant_id=tenant.pk, action__startswith="COMPARING")
            .order_by("sequence")
            .values_list("action", flat=True)
        )
        for tenant in (here, there)
    }
    assert told == {
        "harbour": ["COMPARING_AGREED", "COMPARING_ENDED"],
        "elsewhere": ["COMPARING_AGREED"],
    }


def test_one_file_that_was_read_in_two_ways_is_the_same_data_for_officers(
    owner: Membership, stranger: Membership, officer: Membership, their_officer: Membership
) -> None:
    """L1: by its bytes, where its cells have nothing in common; with both, and here as ever."""
    colleague = join(owner.tenant, Role.OWNER, "otto")
    for first, member in ((700, stranger), (800, colleague), (900, owner)):
        cells = [row(number)[1:2] for number in range(first, first + 60)]
        ours = quick.registered(member, cells, ("zip",))
    agree(tenant=officer.tenant, other=their_officer.tenant.slug, user=officer.user)
    agree(tenant=their_officer.tenant, other=officer.tenant.slug, user=their_officer.user)
    told = []
    for file in ("", "f" * 32):
        VersionFingerprint.objects.update(file=file)
        with acting_for(officer.tenant_id, user_id=officer.user_id):
            found = resembling(current_version(ours), seen_by=officer)
        told.append([how for _, how in (*found.own, *found.elsewhere)])
    assert told == [[], [Likeness.EXACT, Likeness.EXACT]]


def test_one_person_does_not_agree_for_both(
    ours: Dataset, officer: Membership, stranger: Membership
) -> None:
    """L1: an officer here and there is one person."""
    agree(tenant=officer.tenant, other=stranger.tenant.slug, user=officer.user)
    agree(tenant=stranger.tenant, other=officer.tenant.slug, user=officer.user)
    assert agreed_with(officer.tenant_id) == {}
    assert agreed_with(stranger.tenant_id) == {}


def test_an_officer_who_brings_data_there_does_not_see_what_is_like_it(
    ours: Dataset, officer: Membership, their_officer: Membership
) -> None:
    """L1: with a probe of their own there they would learn rows of here."""
    agree(tenant=officer.tenant, other=their_officer.tenant.slug, user=officer.user)
    agree(tenant=their_officer.tenant, other=officer.tenant.slug, user=their_officer.user)
    Membership.objects.create(tenant=their_officer.tenant, user=officer.user, role=Role.OWNER)
    with acting_for(officer.tenant_id, user_id=officer.user_id):
        found = resembling(current_version(ours), seen_by=officer)
    assert found.elsewhere == []


def test_saying_yes_tells_nobody_whether_there_is_such_an_organisation(
    officer: Membership, stranger: Membership, client_for: SignIn
) -> None:
    """L1, H8: the same words for one that exists and for one that does not."""
    browser = client_for(officer)
    pages = []
    for other in (stranger.tenant.slug, "nowhere-1"):  # names of the same length
        answer = browser.post(reverse("datasets:agreements"), {"other": other}, follow=True)
        main = answer.content.decode().split("<main")[1].replace(other, "(name)")
        pages.append((answer.status_code, main.count("Nothing is compared"), len(main)))
        end_agreement(tenant=officer.tenant, other=other, user=officer.user)
    assert pages[0] == pages[1]
    assert pages[0][:2] == (200, 1)


def test_the_database_itself_gives_nothing_away_without_both(
    ours: Dataset, officer: Membership, their_officer: Membership
) -> None:
    """L1, H2: as one tenant, with every mark of the other one's data at hand."""
    marks = list(FingerprintMark.objects.values_list("mark", flat=True))
    wholes = list(VersionFingerprint.objects.values_list("whole", flat=True))
    files = [*VersionFingerprint.objects.order_by("pk").values_list("file", flat=True), ""]
    assert len(set(files)) == 3
    here, there = officer.tenant, their_officer.tenant
    with acting_for(here.pk):
        assert [parts_of_agreed(here.pk, whole, marks) for whole in wholes] == [[], []]
        assert [parts_of_agreed(here.pk, "", [], file) for file in files] == [[], [], []]
    agree(tenant=here, other=there.slug, user=officer.user)
    agree(tenant=there, other=here.slug, user=their_officer.user)
    with acting_for(here.pk):
        found = [part for whole in wholes for part in parts_of_agreed(here.pk, whole, marks)]
        by_file = [[part.file for part in parts_of_agreed(here.pk, "", [], f)] for f in files]
    assert {part.organisation for part in found} == {there.slug}
    # Of their file alone, and nothing where no file is given.
    assert [set(each) for each in by_file] == [{files[0]}, set(), set()]
