"""L37: about a named-only dataset only those ask whom another owner named, through any door.

What could leak: an answer, or that the dataset is there, to who is not named; a naming by oneself,
or of who one was before; a door or a moment that forgets to look. And what was accepted must go on.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction
from django.http import Http404
from django.urls import reverse
from django.utils import timezone

from dpgov.datasets.audience import Place, analysts_of, place_of, seen
from dpgov.datasets.models import Dataset, Viewer
from dpgov.datasets.services import change_audience
from dpgov.queries.asking.gate import NoSuchDataset, NotNamed, refuse_unless_open_to
from dpgov.queries.asking.submit import submit
from dpgov.queries.models import Query, ReadyMade, Refusal
from dpgov.queries.selectors import visible_queries, visible_release
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.services import change_role
from tests.agreed import join_in_two_roles
from tests.cast import join
from tests.integration.queries.asking.test_closed import Doors
from tests.integration.queries.asking.test_closed import doors as doors
from tests.integration.queries.asking.test_terms_of_use import (
    ALL_SERVICES,
    ENTRANCES,
    Unchanged,
    _person,
)
from tests.integration.queries.ready_made.published import published
from tests.made_once import made_once
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db
COUNT: dict[str, Any] = {"statistics": [{"statistic": "count"}], "epsilon": 0.1}
# Their door is the owner's: who governs sees the dataset.
_OF_OWNERS = "rows per person"


def named_only(dataset: Dataset, owner: Membership, *people: Membership) -> None:
    """From now on for these people alone."""
    ids = {one.pk for one in people}
    change_audience(dataset=dataset, named_only=True, named=ids, user=owner.user)


@made_once
def ready_made(owner: Membership, dataset: Dataset) -> ReadyMade:
    return published(owner, dataset)


@pytest.mark.usefixtures("ready_made")
@pytest.mark.parametrize("entrance", sorted(set(ENTRANCES) - {_OF_OWNERS}))
def test_every_entrance_is_missing_to_who_is_not_named_and_opens_once_they_are(
    doors: Doors, owner: Membership, unchanged: Unchanged, entrance: str
) -> None:
    """L37: no refusal is counted, for there is nothing that could refuse."""
    knock, _before, after = ENTRANCES[entrance]
    named_only(doors.dataset, owner)
    with unchanged():
        assert knock(doors) == 404
    assert not Refusal.objects.exists()
    named_only(doors.dataset, owner, doors.asker)
    assert knock(doors) == after


@pytest.mark.usefixtures("ready_made")
@pytest.mark.parametrize("service", ALL_SERVICES)
def test_every_service_finds_no_such_dataset(
    doors: Doors, owner: Membership, unchanged: Unchanged, service: str
) -> None:
    """L37: also when the dataset was read before it was for others, and when it is paused."""
    named_only(doors.dataset, owner)
    Dataset.objects.filter(pk=doors.dataset.pk).update(paused_at=timezone.now())
    with unchanged(), pytest.raises(NoSuchDataset) as refused:
        ALL_SERVICES[service](doors)
    assert isinstance(refused.value, Http404)
    Dataset.objects.filter(pk=doors.dataset.pk).update(paused_at=None)
    named_only(doors.dataset, owner, doors.asker)
    assert ALL_SERVICES[service](doors)


def test_a_data_owner_who_is_no_analyst_still_counts_rows_of_people(
    doors: Doors, owner: Membership
) -> None:
    """L37: that is for whoever governs it, and no analyst's question."""
    named_only(doors.dataset, owner)
    assert _person(doors) == 302


def _moved_away_and_back(member: Membership) -> None:
    admin = join(member.tenant, Role.ADMIN, "ada")
    for role in (Role.ADMIN, Role.ANALYST):
        change_role(membership=member, role=role, actor=actor_of(admin.user))
    member.refresh_from_db()


def _people(dataset: Dataset, owner: Membership) -> dict[str, Membership]:
    """Everybody who could be mistaken for somebody who may ask, each in one way."""
    tenant = dataset.tenant
    people = {name: join(tenant, Role.ANALYST, name) for name in ("named", "unnamed", "back")}
    people |= {
        name: join_in_two_roles(tenant, role, name)
        for name, role in (
            ("owning", Role.OWNER),
            ("owning_named", Role.OWNER),
            ("own_naming", Role.OWNER),
            ("named_before", Role.OWNER),
            ("running", Role.ADMIN),
            ("running_named", Role.ADMIN),
        )
    }
    people |= {role.value: join(tenant, role, role.value) for role in (Role.OFFICER, Role.ADMIN)}
    chosen = ("named", "back", "owning_named", "named_before", "running_named")
    named_only(dataset, owner, *(people[name] for name in chosen))
    with without_triggers():
        _by_themselves(dataset, people["own_naming"])
        earlier = timezone.now() - timedelta(days=9)
        Viewer.objects.filter(membership=people["named_before"]).update(named_at=earlier)
    _moved_away_and_back(people["back"])
    return people


def _by_themselves(dataset: Dataset, member: Membership) -> None:
    Viewer.objects.create(
        tenant=dataset.tenant, dataset=dataset, membership=member, named_by=member.user
    )


MAY_ASK = {"named", "owning_named", "running_named"}
SEE = MAY_ASK | {"owning", "own_naming", "named_before", "running", "officer", "admin"}


def test_pages_lists_the_gate_and_the_database_agree_on_who_may_ask(
    dataset: Dataset, owner: Membership
) -> None:
    """L37: whom lists offer is who may ask, to the person; whoever else gets in nowhere."""
    people = _people(dataset, owner)
    offered = set(analysts_of(Dataset.objects.get(pk=dataset.pk)))
    assert offered == {people[name] for name in MAY_ASK}
    for name, one in people.items():
        sees = Dataset.objects.filter(seen(one), pk=dataset.pk).exists()
        assert sees == (name in SEE), name
        place = Place.ASKS if name in MAY_ASK else Place.SEES if name in SEE else Place.OUTSIDE
        assert place_of(dataset, one.user) is place, name
    assert _let_in(dataset, people, _through_the_gate) == MAY_ASK
    assert _let_in(dataset, people, _by_hand) == MAY_ASK


Try = Callable[[Dataset, Membership], None]


def _let_in(dataset: Dataset, people: dict[str, Membership], attempt: Try) -> set[str]:
    return {name for name, one in people.items() if _works(attempt, dataset, one)}


def _works(attempt: Try, dataset: Dataset, one: Membership) -> bool:
    try:
        with transaction.atomic():
            attempt(dataset, one)
    except (NoSuchDataset, NotNamed):
        return False
    except DatabaseError as refused:
        assert "named by another owner" in str(refused)
        return False
    return True


def _through_the_gate(dataset: Dataset, one: Membership) -> None:
    submit(membership=one, dataset=dataset, raw_plan=COUNT, idempotency_key="gate")


def _by_hand(dataset: Dataset, one: Membership) -> None:
    """A row like one that was accepted, in this person's name."""
    row = Query.objects.filter(dataset=dataset).earliest("submitted_at")
    row.pk, row.idempotency_key, row.analyst = uuid4(), "by hand", one.user
    row.save(force_insert=True)


def test_an_owner_who_asks_is_told_that_another_one_has_to_name_them(
    dataset: Dataset, owner: Membership, unchanged: Unchanged, api_for: Callable[..., Any]
) -> None:
    """L37: they govern it and see it, so nothing is hidden; the price says the same."""
    both = join_in_two_roles(dataset.tenant, Role.OWNER, "beate")
    named_only(dataset, owner)
    api, asked = api_for(both), {"format": "json", "headers": {"Idempotency-Key": "k-1"}}
    with unchanged():
        refused = api.post("/api/v1/datasets/visits/queries/", COUNT, **asked)
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (409, "not_named")
    quote = api.post("/api/v1/datasets/visits/quote/", COUNT, format="json").json()
    assert (quote["accepted"], "another data owner" in quote["refusal"]) == (False, True)
    named_only(dataset, owner, both)
    assert api.post("/api/v1/datasets/visits/queries/", COUNT, **asked).status_code == 202


def test_a_dataset_that_is_hidden_in_this_very_moment_is_missing_and_no_fault(
    doors: Doors, owner: Membership, unchanged: Unchanged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L37: after it was looked for and before the row, which the database then refuses."""
    named_only(doors.dataset, owner)
    before = iter([lambda *_about: None])
    monkeypatch.setattr(
        "dpgov.queries.asking.submit.refuse_unless_open_to",
        lambda *about: next(before, refuse_unless_open_to)(*about),
    )
    with unchanged(), pytest.raises(NoSuchDataset):
        doors.submit()


def test_what_was_accepted_goes_on_and_whoever_asked_reads_the_answer(
    doors: Doors, owner: Membership, answer_all: Callable[[], int]
) -> None:
    """L37: hiding a dataset takes nothing back, and its key still names the question."""
    waiting = doors.submit()
    named_only(doors.dataset, owner)
    assert answer_all() == 1
    mine = visible_queries(doors.asker).get(pk=waiting.pk)
    assert mine.state == Query.State.RELEASED
    assert visible_release(mine) is not None
    assert doors.browser.get(reverse("queries:detail", args=[mine.pk])).status_code == 200
