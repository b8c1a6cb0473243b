"""L37: nobody is told of a dataset that is not there for them, on pages or by e-mail.

What could leak: its name in a notification that comes late, in one that came before, or in a letter
that was written down while the person still saw it.
"""

import pytest
from django.core import mail
from django.utils import timezone

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.services import allocate
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import change_audience, lower_limit
from dpgov.notices.delivery.letters import send_letters
from dpgov.notices.events.follow import follow
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Choice, Notice, State
from dpgov.notices.selectors import notices_of, unread_of
from dpgov.notices.services import mark_all
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.made_once import made_once

pytestmark = pytest.mark.django_db


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
