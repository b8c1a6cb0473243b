"""L37: nobody is told of a dataset that is not there for them, on pages or by e-mail.

What could leak: its name in a notification that comes late, in one that came before, or in a letter
that was written down while the person still saw it.
"""

from typing import Any
from uuid import uuid4

import pytest
from django.core import mail
from django.db import transaction
from django.utils import timezone

from dpgov.approvals.services import reject, request_change
from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR
from dpgov.audit.services import append
from dpgov.budgets.services import allocate, open_budget
from dpgov.budgets.services.corrections import REFUND
from dpgov.budgets.services.invitations import ACCEPT_SHARED_BUDGET
from dpgov.budgets.services.raising import RAISE_LIMIT, request_raise
from dpgov.budgets.services.shared_budgets import open_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import change_audience, lower_limit, pause
from dpgov.joint.installed import JOIN_JOINT
from dpgov.notices.delivery.letters import send_letters
from dpgov.notices.events.follow import follow
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Choice, Event, Notice, State
from dpgov.notices.selectors import notices_of, unread_of
from dpgov.notices.services import mark_all
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.services import change_role
from tests.cast import Ask, join
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db
NOWHERE = "budget:00000000-0000-0000-0000-00000000dead"


@made_once
def half_used(dataset: Dataset, analyst: Membership, ask: Ask) -> Dataset:
    """Anna's allocation is half used, and she wants to be told by e-mail."""
    allocate(
        dataset_budget=dataset.budget,
        holder=analyst.user,
        limit_nano=NANO,
        actor=OPERATOR,
        reason="the study",
    )
    Choice.objects.create(
        tenant=dataset.tenant, person=analyst.user, kind=Kind.BUDGET, in_app=True, letter=True
    )
    ask(analyst, epsilon=0.6)
    return dataset


def _hide(dataset: Dataset, owner: Membership, *named: Membership) -> None:
    ids = {one.pk for one in named}
    change_audience(dataset=dataset, named_only=True, named=ids, user=owner.user)


@pytest.mark.parametrize("order", ["hidden first", "told first"])
def test_a_level_of_their_own_allocation_is_told_to_nobody_outside(
    half_used: Dataset, owner: Membership, analyst: Membership, order: str
) -> None:
    """L37: neither on the page nor by a letter; named again, it is there."""
    if order == "hidden first":
        _hide(half_used, owner)
    follow(half_used.tenant_id)
    _hide(half_used, owner)
    assert list(notices_of(analyst)) == []
    assert unread_of(analyst).count() == mark_all(membership=analyst) == 0
    send_letters(half_used.tenant_id)
    assert mail.outbox == []
    theirs = Notice.objects.get(person=analyst.user)
    assert (theirs.letter, theirs.read_at) == (State.GIVEN_UP, None)
    _hide(half_used, owner, analyst)
    assert [one.event.detail["dataset"] for one in notices_of(analyst)] == ["Visits"]


def test_who_is_named_and_who_governs_is_told_as_ever(
    half_used: Dataset, owner: Membership, analyst: Membership
) -> None:
    """L37: the same with an audience, to whom it is there."""
    _hide(half_used, owner, analyst)
    lower_limit(dataset=half_used, limit_nano=NANO, user=owner.user, reason="less")
    follow(half_used.tenant_id)
    send_letters(half_used.tenant_id)
    assert any("Visits" in one.subject for one in mail.outbox)
    assert [one.event.detail["of"] for one in notices_of(owner)] == ["dataset"]
    assert [one.event.detail["of"] for one in notices_of(analyst)] == ["allocation"]
    told = {one.person_id for one in Notice.objects.filter(due_at__lte=timezone.now())}
    assert {owner.user_id, analyst.user_id} <= told


@made_once
def colleague(dataset: Dataset) -> Membership:
    """An owner beside the one of the dataset."""
    return join(dataset.tenant, Role.OWNER, "ulla")


@pytest.mark.parametrize("order", ["hidden first", "told first"])
def test_a_request_of_an_owner_who_became_an_analyst_names_no_hidden_dataset(
    dataset: Dataset, owner: Membership, officer: Membership, colleague: Membership, order: str
) -> None:
    """L37: neither on the page nor by a letter; the officer is told, and they too once named."""
    asked = request_raise(
        membership=colleague, budget=dataset.budget, limit_nano=20 * NANO, reason="more"
    )
    follow(dataset.tenant_id)
    _hide(dataset, owner)
    reject(request_id=asked.pk, decider=officer, reason="no")
    if order == "told first":
        follow(dataset.tenant_id)
        assert [one.event.kind for one in notices_of(colleague)] == [Kind.DECISION]
    change_role(membership=colleague, role="analyst", actor=OPERATOR)
    colleague.refresh_from_db()
    follow(dataset.tenant_id)
    assert list(notices_of(colleague)) == []
    send_letters(dataset.tenant_id)
    assert [one for one in mail.outbox if colleague.user.email in one.to] == []
    assert Kind.REQUEST in {one.event.kind for one in notices_of(officer)}
    _hide(dataset, owner, colleague)
    assert [one.event.detail["dataset"] for one in notices_of(colleague)] == [dataset.slug]


def test_holds_and_new_data_are_about_their_dataset(
    dataset: Dataset, owner: Membership, officer: Membership
) -> None:
    """L37: all that an entry says of one; owner and officer govern, and are told."""
    pause(version=current_version(dataset), membership=officer, reason="a doubt")
    with transaction.atomic():
        append(
            tenant_id=dataset.tenant_id,
            action=Action.DATASET_LOOKED_AT,
            actor=OPERATOR,
            subject=f"dataset:{dataset.pk}",
            detail={"begins": True},
        )
    follow(dataset.tenant_id)
    events = Event.objects.filter(kind__in=[Kind.HOLD, Kind.NEW_DATA])
    assert {(one.kind, one.dataset_id) for one in events} == {
        (Kind.HOLD, dataset.pk),
        (Kind.NEW_DATA, dataset.pk),
    }
    assert notices_of(owner).filter(event__kind=Kind.HOLD).count() == 2
    assert {one.event.kind for one in notices_of(officer)} == {Kind.HOLD, Kind.NEW_DATA}


@pytest.mark.parametrize(
    "about", ["refund", "joint", "raise", "one that shares", "several that share"]
)
def test_a_request_names_the_dataset_that_it_is_about_and_never_several(
    dataset: Dataset, owner: Membership, analyst: Membership, ask: Ask, about: str
) -> None:
    """L37: who is told sees all that is named; of several the request's own page tells."""
    # The same data again shares the budget's row, of which "visits" is the name.
    register_small_dataset(owner, name="Traffic")
    other = Dataset.objects.create(
        tenant=dataset.tenant,
        slug="tides",
        name="Tides",
        owner=owner.user,
        max_rows=10,
        budget=open_budget(tenant=dataset.tenant, label="tides", limit_nano=NANO),
        per_query_limit_nano=NANO,
    )
    one, both = [str(dataset.budget_id)], [str(dataset.budget_id), str(other.budget_id)]
    requests: dict[str, tuple[str, str, dict[str, Any], str]] = {
        "refund": (REFUND, f"query:{ask(analyst).pk}", {}, "visits"),
        "joint": (JOIN_JOINT, f"joint:{uuid4()}", {"dataset": str(dataset.pk)}, "visits"),
        "raise": (RAISE_LIMIT, f"budget:{dataset.budget_id}", {}, "visits"),
        "one that shares": (ACCEPT_SHARED_BUDGET, NOWHERE, {"dataset_budgets": one}, "visits"),
        "several that share": (
            *(ACCEPT_SHARED_BUDGET, NOWHERE, {"dataset_budgets": both}, "visits, tides"),
        ),
    }
    kind, subject, payload, name = requests[about]
    request_change(
        membership=owner, kind=kind, subject=subject, payload=payload, reason="x", dataset=name
    )
    follow(dataset.tenant_id)
    event = Event.objects.get(kind=Kind.REQUEST)
    if about == "several that share":
        assert (event.dataset_id, event.detail.get("dataset")) == (None, None)
    else:
        assert (event.dataset_id, event.detail["dataset"]) == (dataset.pk, "visits")


def test_a_shared_budget_keeps_its_name_and_is_no_dataset(
    dataset: Dataset, owner: Membership, officer: Membership
) -> None:
    shared = open_shared_budget(
        tenant=dataset.tenant, name="Households", limit_nano=NANO, actor=OPERATOR
    )
    with acting_for(dataset.tenant_id):
        request_raise(membership=owner, budget=shared, limit_nano=2 * NANO, reason="more")
    follow(dataset.tenant_id)
    event = Event.objects.get(kind=Kind.REQUEST)
    assert (event.dataset_id, event.detail["dataset"]) == (None, "Households")
    assert Kind.REQUEST in {one.event.kind for one in notices_of(officer)}
