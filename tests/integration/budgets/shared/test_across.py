"""A budget that the datasets of two organisations share, because both of them agreed."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from dpgov.approvals.errors import OwnRequest
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve
from dpgov.audit.models import AuditEntry
from dpgov.budgets import shared_budgets as reads
from dpgov.budgets.errors import ForeignBudget, InsufficientBudget, LedgerRefusal
from dpgov.budgets.models import Budget, BudgetAccess, Charge, SharedBudgetInvitation
from dpgov.budgets.services import Line, reserve, settle
from dpgov.budgets.services.agreed import MERGE_SHARED_BUDGETS, accept_as_agreed, merge_as_agreed
from dpgov.budgets.services.invitations import (
    ACCEPT_SHARED_BUDGET,
    InvalidCode,
    TooManyCodes,
    look_at,
    request_to_join,
)
from dpgov.budgets.services.shared_budgets import CannotShare
from dpgov.tenants.models import Membership, Role, Tenant
from tests.cast import join
from tests.integration.budgets.shared.sharing import (
    NANO,
    acting,
    ask_for,
    charge,
    committed,
    dataset_budget,
    fresh,
    shared_budget,
)
from tests.integration.budgets.shared.two_sides import Two
from tests.made_once import made_once
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db


@made_once
def two(owner: Membership, officer: Membership, stranger: Membership) -> Two:
    cache.clear()
    mine = dataset_budget(owner.tenant, "secret survey")
    return Two(
        owner=owner,
        officer=officer,
        stranger=stranger,
        their_officer=join(stranger.tenant, Role.OFFICER, "oda"),
        shared=shared_budget(owner.tenant, "Residents", mine, limit=5 * NANO),
        mine=mine,
        theirs=dataset_budget(stranger.tenant, "their register"),
    )


def test_four_persons_agree_and_both_sides_spend_from_one_budget(two: Two) -> None:
    """A2: what one organisation asks leaves less for the other."""
    two.ask_there(NANO)
    assert two.accept(two.enter(two.code())).state == "approved"
    assert committed(two.shared) == NANO
    two.ask_there(2 * NANO)
    with acting(two.owner.tenant):
        charge(two.mine, NANO)
        with pytest.raises(InsufficientBudget):
            charge(two.mine, 2 * NANO)
    assert committed(two.shared) == 4 * NANO


def test_a_code_does_not_work_where_people_practise(two: Two) -> None:
    """L36: there they change their roles freely, and would use up a budget of real people."""
    code = two.code()
    practice = Tenant.objects.create(
        slug="practice", name="Practice", practice_of=two.stranger.tenant_id
    )
    with pytest.raises(InvalidCode), acting(practice):
        look_at(code=code, tenant_id=practice.pk)
    with acting(two.stranger.tenant):
        look_at(code=code, tenant_id=two.stranger.tenant_id)


def test_each_side_s_questions_end_as_ever(two: Two) -> None:
    """A4: the other organisation's charge is booked on the shared budget in its own name."""
    two.accept(two.enter(two.code()))
    query_id = two.ask_there(NANO)
    with acting(two.stranger.tenant):
        settle(query_id=query_id, amount_nano=NANO)
    booked = Charge.objects.get(budget=two.shared)
    assert (booked.tenant_id, booked.amount_nano) == (two.stranger.tenant_id, NANO)


def test_nobody_charges_a_shared_budget_that_they_did_not_join(two: Two) -> None:
    """H1: knowing its id is not enough."""
    with acting(two.stranger.tenant), pytest.raises(ForeignBudget):
        reserve(
            query_id=two.theirs.pk,
            tenant_id=two.stranger.tenant_id,
            lines=[Line(two.theirs.pk, 1), Line(two.shared.pk, 1)],
        )
    assert (committed(two.shared), committed(two.theirs)) == (0, 0)


def test_a_code_is_good_for_one_use(two: Two) -> None:
    """F8: a replay is refused, also after the request that used it was made and not decided."""
    code = two.code()
    request = two.enter(code)
    for again in (code, code.lower().replace("-", " ")):
        with pytest.raises(InvalidCode):
            two.enter(again)
    two.accept(request)
    with pytest.raises(InvalidCode):
        two.enter(code)
    assert BudgetAccess.objects.filter(budget=two.shared).count() == 2


def test_every_code_that_does_not_work_is_answered_alike(two: Two) -> None:
    """H8: wrong, malformed, used, expired, ended and one's own: the same words."""
    used, late, own = two.code(), two.code(), two.code()
    two.enter(used)
    SharedBudgetInvitation.objects.filter(accepted_at__isnull=True).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )
    said = set()
    for code in ("", "A" * 24, "x-y", used, late, "é" * 24):
        with acting(two.stranger.tenant), pytest.raises(InvalidCode) as refusal:
            look_at(code=code, tenant_id=two.stranger.tenant_id)
        said.add(str(refusal.value))
    SharedBudgetInvitation.objects.update(expires_at=timezone.now() + timedelta(days=1))
    with acting(two.owner.tenant), pytest.raises(InvalidCode) as refusal:
        look_at(code=own, tenant_id=two.owner.tenant_id)
    assert said == {str(refusal.value)}


def test_codes_cannot_be_tried_for_long(two: Two) -> None:
    """J5: twenty tries an hour for an organisation; a right code is refused then, too."""
    code = two.code()
    with acting(two.stranger.tenant):
        for _ in range(20):
            with pytest.raises(InvalidCode):
                look_at(code="B" * 24, tenant_id=two.stranger.tenant_id)
        with pytest.raises(TooManyCodes):
            look_at(code=code, tenant_id=two.stranger.tenant_id)


def test_a_dump_of_the_database_holds_no_code(two: Two) -> None:
    """H5: neither the invitation, nor a request, nor the log."""
    code = two.code()
    stored = [
        *map(str, SharedBudgetInvitation.objects.values()),
        *map(str, ChangeRequest.objects.values()),
        *map(str, AuditEntry.objects.values()),
    ]
    for form in (code, code.replace("-", "")):
        assert not [row for row in stored if form in row]


def test_what_the_other_side_lost_must_fit(two: Two) -> None:
    """A5: refused with nothing changed; the request waits."""
    two.ask_there(6 * NANO)
    request = two.enter(two.code())
    with pytest.raises(InsufficientBudget):
        two.accept(request)
    assert committed(two.shared) == 0
    assert ChangeRequest.objects.get(pk=request.pk).is_waiting
    assert BudgetAccess.objects.filter(budget=two.shared).count() == 1


def test_a_limit_that_was_raised_since_is_not_what_they_agreed_to(two: Two) -> None:
    """A8"""
    request = two.enter(two.code())
    with without_triggers():
        Budget.objects.filter(pk=two.shared.pk).update(limit_nano=6 * NANO)
    try:
        assert two.accept(request).state == "stale"
        assert BudgetAccess.objects.filter(budget=two.shared).count() == 1
    finally:
        Budget.objects.filter(pk=two.shared.pk).update(limit_nano=5 * NANO)


def test_one_person_alone_cannot_accept(two: Two) -> None:
    """F8: two persons on each side."""
    request = two.enter(two.code())
    with acting(two.stranger.tenant), pytest.raises(OwnRequest):
        approve(
            request_id=request.pk,
            decider=two.stranger,
            reason="me again",
            carry_out=accept_as_agreed,
        )


def test_another_organisation_s_dataset_cannot_be_brought_in(two: Two) -> None:
    """H1: the code is not used up by the attempt."""
    code = two.code()
    with acting(two.stranger.tenant), pytest.raises(CannotShare):
        request_to_join(
            membership=two.stranger, code=code, dataset_budgets=[two.mine], reason="theirs"
        )
    assert two.enter(code).is_waiting


def test_an_invitation_that_another_one_used_or_nobody_did_admits_nobody(two: Two) -> None:
    """H3: what a request says is not believed; the invitation itself knows who used it."""
    two.code()
    for used_by in (None, two.owner.tenant_id):
        invitation = SharedBudgetInvitation.objects.get()
        SharedBudgetInvitation.objects.update(accepted_by=used_by)
        with acting(two.stranger.tenant):
            forged = ask_for(
                two.stranger,
                ACCEPT_SHARED_BUDGET,
                shared_budget=str(two.shared.pk),
                invitation=str(invitation.pk),
                dataset_budgets=[str(two.theirs.pk)],
                limit_nano=5 * NANO,
            )
        assert two.accept(forged).state == "stale"
    assert BudgetAccess.objects.filter(budget=two.shared).count() == 1


def test_neither_side_learns_more_than_the_total(two: Two) -> None:
    """H8: names, members, moments and questions of the other side stay there."""
    two.accept(two.enter(two.code()))
    two.ask_there(NANO)
    with acting(two.owner.tenant):
        charge(two.mine, NANO)
    for side, own, foreign in (
        (two.owner.tenant, two.mine, two.theirs),
        (two.stranger.tenant, two.theirs, two.mine),
    ):
        with acting(side):
            shared = reads.get_shared_budget(side, two.shared.pk)
            sharing = reads.sharing_of(own.pk, side)
            assert shared.committed_nano == 2 * NANO
            assert sharing is not None
            assert (sharing.others, sharing.own_budgets) == (True, ())
            assert [m.dataset_budget_id for m in reads.members_of(shared, side)] == [own.pk]
            told = str(reads.events_of(shared, side)) + str(sharing)
        assert str(own.pk) in told or own.label in told
        assert str(foreign.pk) not in told
        assert foreign.label not in told


def test_a_shared_budget_is_not_merged_away_from_the_other_side(two: Two) -> None:
    """They agreed to this budget and no other; merging the other way round is possible."""
    two.accept(two.enter(two.code()))
    other = shared_budget(two.owner.tenant, "Other", limit=7 * NANO)
    for into, gone, state in ((other, two.shared, "stale"), (two.shared, other, "approved")):
        with acting(two.owner.tenant):
            request = ask_for(
                two.owner,
                MERGE_SHARED_BUDGETS,
                into=str(into.pk),
                other=str(gone.pk),
                into_limit_nano=into.limit_nano,
                other_limit_nano=gone.limit_nano,
            )
            decision = approve(
                request_id=request.pk,
                decider=two.officer,
                reason="yes",
                carry_out=merge_as_agreed,
            )
        assert decision.request.state == state
    assert fresh(two.shared).closed_at is None


def test_each_step_is_in_the_log_of_who_took_it(two: Two) -> None:
    """G1: requested and approved here, requested and approved there: four entries."""
    before = AuditEntry.objects.count()
    two.accept(two.enter(two.code()))
    steps = AuditEntry.objects.order_by("at", "sequence").values_list("tenant_id", "action")
    assert list(steps)[before:] == [
        (two.owner.tenant_id, "CHANGE_REQUESTED"),
        (two.owner.tenant_id, "CHANGE_APPROVED"),
        (two.stranger.tenant_id, "CHANGE_REQUESTED"),
        (two.stranger.tenant_id, "CHANGE_APPROVED"),
    ]


def test_a_refusal_is_a_refusal_of_the_ledger() -> None:
    """Pages and approvals know one family of them."""
    assert issubclass(InvalidCode, LedgerRefusal)
    assert issubclass(TooManyCodes, LedgerRefusal)
