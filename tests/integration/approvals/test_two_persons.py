"""A change that cannot be undone takes two persons, a reason each, and happens once."""

import json
from functools import partial
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from dpgov.approvals.errors import (
    AlreadyDecided,
    AlreadyRequested,
    MayNotDecide,
    MayNotRequest,
    NotYourRequest,
    OwnRequest,
    ReasonMissing,
    Stale,
)
from dpgov.approvals.kinds import Effect
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.selectors import decidable_by, deciders, in_requests
from dpgov.approvals.services import approve, reject, withdraw
from dpgov.audit.models import AuditEntry
from dpgov.budgets.services.agreed import (
    INVITE_TO_SHARE,
    MERGE_SHARED_BUDGETS,
    SPLIT_SHARED_BUDGET,
)
from dpgov.language.translation import retold
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.approvals.conftest import Asking, Counted
from tests.integration.children import run_at_once


def entries() -> list[tuple[str, str]]:
    """What the log says, oldest first: action and who."""
    return list(AuditEntry.objects.order_by("sequence").values_list("action", "actor_label"))


def test_an_approved_change_is_carried_out_with_one_entry_for_each_step(
    owner: Membership, officer: Membership, asking: Asking, change: Counted
) -> None:
    """F8: requested and approved, both in the log, the second with what was done."""
    request = asking(owner)
    decision = approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=change)
    assert [entry for entry in entries() if entry[0].startswith("CHANGE")] == [
        ("CHANGE_REQUESTED", owner.user.email),
        ("CHANGE_APPROVED", officer.user.email),
    ]
    detail = json.loads(AuditEntry.objects.latest("sequence").detail)
    assert detail["effect"] == {"done": True}
    assert detail["requested_by"] == owner.user.email
    assert (detail["reason"], detail["decision_reason"]) == ("the study goes on", "agreed")
    assert decision.shown_once == "the code"
    assert "the code" not in json.dumps(detail)
    assert ChangeRequest.objects.get().state == "approved"
    assert len(change.requests) == 1


def test_nobody_approves_or_rejects_their_own_request(
    officer: Membership, asking: Asking, change: Counted
) -> None:
    """F8: an officer who asks has the role to decide, but is the same person."""
    request = asking(officer)
    before = entries()
    with pytest.raises(OwnRequest):
        approve(request_id=request.pk, decider=officer, reason="mine", carry_out=change)
    with pytest.raises(OwnRequest):
        reject(request_id=request.pk, decider=officer, reason="mine")
    assert (change.requests, entries()) == ([], before)
    assert ChangeRequest.objects.get().is_waiting


def test_a_person_who_became_officer_meanwhile_still_cannot_approve_their_own_request(
    owner: Membership, asking: Asking, change: Counted
) -> None:
    """F8: by person, whatever the membership."""
    request = asking(owner)
    Membership.objects.filter(pk=owner.pk).update(role=Role.OFFICER)
    with pytest.raises(OwnRequest):
        approve(request_id=request.pk, decider=owner, reason="mine", carry_out=change)
    assert change.requests == []


def test_the_database_itself_refuses_one_person_for_both(owner: Membership, asking: Asking) -> None:
    """F8: the CHECK constraint behind the service."""
    request = asking(owner)
    decided: dict[str, Any] = {"decided_by": owner.user, "decided_at": request.requested_at}
    with pytest.raises(DatabaseError), transaction.atomic():
        ChangeRequest.objects.update(state="approved", **decided)
    with pytest.raises(DatabaseError), transaction.atomic():
        ChangeRequest.objects.update(state="approved")
    assert ChangeRequest.objects.get().is_waiting


def test_the_role_counts_as_it_is_at_the_decision(
    owner: Membership, officer: Membership, asking: Asking, change: Counted
) -> None:
    """F8, H7: an officer who was made analyst a moment ago decides nothing."""
    request = asking(owner)
    Membership.objects.filter(pk=officer.pk).update(role=Role.ANALYST)
    assert officer.role == Role.OFFICER
    with pytest.raises(MayNotDecide):
        approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=change)
    Membership.objects.filter(pk=officer.pk).delete()
    with pytest.raises(MayNotDecide):
        approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=change)
    assert change.requests == []


@pytest.mark.parametrize("role", [Role.ANALYST, Role.ADMIN])
def test_other_roles_neither_request_nor_decide(
    role: Role, owner: Membership, asking: Asking, change: Counted
) -> None:
    """H1"""
    person = join(owner.tenant, role, "pia")
    with pytest.raises(MayNotRequest):
        asking(person, subject="budget:2")
    request = asking(owner)
    with pytest.raises(MayNotDecide):
        approve(request_id=request.pk, decider=person, reason="agreed", carry_out=change)
    assert ChangeRequest.objects.count() == 1


def test_a_foreign_officer_finds_no_such_request(
    owner: Membership, stranger: Membership, asking: Asking, change: Counted
) -> None:
    """H1: foreign looks like missing."""
    foreign = join(stranger.tenant, Role.OFFICER, "fred")
    request = asking(owner)
    with pytest.raises(ChangeRequest.DoesNotExist):
        approve(request_id=request.pk, decider=foreign, reason="agreed", carry_out=change)
    with pytest.raises(ChangeRequest.DoesNotExist):
        withdraw(request_id=request.pk, membership=foreign)
    assert change.requests == []


def test_an_owner_decides_only_about_shared_budgets_and_only_when_an_officer_asked(
    owner: Membership, officer: Membership, asking: Asking, change: Counted
) -> None:
    """F8"""
    limit = asking(officer)
    with pytest.raises(MayNotDecide):
        approve(request_id=limit.pk, decider=owner, reason="agreed", carry_out=change)
    second_owner = join(owner.tenant, Role.OWNER, "olaf")
    among_owners = asking(owner, SPLIT_SHARED_BUDGET)
    with pytest.raises(MayNotDecide):
        reject(request_id=among_owners.pk, decider=second_owner, reason="no")
    merge = asking(officer, MERGE_SHARED_BUDGETS)
    approve(request_id=merge.pk, decider=owner, reason="agreed", carry_out=change)
    assert [request.pk for request in change.requests] == [merge.pk]


def test_a_decided_request_is_decided_for_good(
    owner: Membership, officer: Membership, asking: Asking, change: Counted
) -> None:
    """F8: a replay is refused, whichever way it was decided."""
    request = asking(owner)
    reject(request_id=request.pk, decider=officer, reason="not now")
    before = entries()
    with pytest.raises(AlreadyDecided, match="rejected"):
        approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=change)
    with pytest.raises(AlreadyDecided):
        withdraw(request_id=request.pk, membership=owner)
    assert (change.requests, entries()) == ([], before)


def test_the_database_keeps_requests_and_decisions_as_they_are(
    owner: Membership, officer: Membership, asking: Asking
) -> None:
    """F8: neither the payload of a waiting request nor a decision is ever rewritten."""
    request = asking(owner)
    with pytest.raises(DatabaseError), transaction.atomic():
        ChangeRequest.objects.update(payload={"from": 3, "to": 500})
    with pytest.raises(DatabaseError), transaction.atomic():
        ChangeRequest.objects.update(requested_by=officer.user)
    reject(request_id=request.pk, decider=officer, reason="no")
    with pytest.raises(DatabaseError), transaction.atomic():
        ChangeRequest.objects.update(state="approved")
    stored = ChangeRequest.objects.get()
    assert (stored.payload, stored.state) == ({"from": 3, "to": 5}, "rejected")


def test_a_withdrawn_request_is_the_requesters_own_step(
    owner: Membership, officer: Membership, asking: Asking
) -> None:
    """F8"""
    request = asking(owner)
    with pytest.raises(NotYourRequest):
        withdraw(request_id=request.pk, membership=officer)
    withdraw(request_id=request.pk, membership=owner)
    assert entries()[-1] == ("CHANGE_WITHDRAWN", owner.user.email)
    assert asking(owner).is_waiting


def test_the_same_is_requested_once_at_a_time(owner: Membership, asking: Asking) -> None:
    """F8"""
    asking(owner)
    before = entries()
    with pytest.raises(AlreadyRequested):
        asking(owner)
    assert entries() == before


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_a_decision_needs_a_reason(
    text: str, owner: Membership, officer: Membership, asking: Asking, change: Counted
) -> None:
    """F8"""
    request = asking(owner)
    with pytest.raises(ReasonMissing):
        approve(request_id=request.pk, decider=officer, reason=text, carry_out=change)
    with pytest.raises(ReasonMissing):
        reject(request_id=request.pk, decider=officer, reason=text)
    assert (ChangeRequest.objects.get().is_waiting, change.requests) == (True, [])


def test_a_change_that_is_out_of_date_ends_the_request_and_undoes_what_it_began(
    owner: Membership, officer: Membership, asking: Asking
) -> None:
    """F8: nothing of the change stays, and the request says why."""
    request = asking(owner)

    def begin_and_find_out(_: ChangeRequest) -> Effect:
        join(owner.tenant, Role.ANALYST, "half")
        raise Stale("The limit is another one now.")

    decision = approve(
        request_id=request.pk, decider=officer, reason="agreed", carry_out=begin_and_find_out
    )
    assert decision.request.state == "stale"
    assert retold(ChangeRequest.objects.get().outcome) == "The limit is another one now."
    assert not Membership.objects.filter(user__name="Half").exists()
    assert entries()[-1] == ("CHANGE_LAPSED", officer.user.email)


def test_a_change_that_fails_leaves_the_request_waiting(
    owner: Membership, officer: Membership, asking: Asking
) -> None:
    """F8, G1: both or neither."""
    request = asking(owner)
    before = entries()

    def fail(_: ChangeRequest) -> Effect:
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=fail)
    assert (ChangeRequest.objects.get().is_waiting, entries()) == (True, before)


def test_who_could_decide_is_known_beforehand(
    owner: Membership, officer: Membership, second_officer: Membership, asking: Asking
) -> None:
    """F8: so that a tenant with one officer learns what to do."""
    theirs = asking(officer)
    assert [person.pk for person in deciders(theirs)] == [second_officer.pk]
    people = (officer, second_officer, owner)
    assert [decidable_by(person, *in_requests(person)).count() for person in people] == [0, 1, 0]
    asking(officer, INVITE_TO_SHARE)
    assert [decidable_by(person, *in_requests(person)).count() for person in people] == [0, 2, 1]


@pytest.mark.django_db(transaction=True)
def test_of_eight_officers_who_decide_at_once_one_wins(
    owner: Membership, officer: Membership, asking: Asking, change: Counted
) -> None:
    """F8: one decision, one entry, one change."""
    request = asking(owner)
    officers = [join(officer.tenant, Role.OFFICER, f"officer{n}") for n in range(8)]

    def decide(place: int) -> int:
        try:
            if place % 2:
                approve(
                    request_id=request.pk, decider=officers[place], reason="x", carry_out=change
                )
            else:
                reject(request_id=request.pk, decider=officers[place], reason="x")
        except AlreadyDecided:
            return 0
        return 1

    codes = run_at_once([partial(decide, n) for n in range(8)])
    assert sorted(codes) == [0] * 7 + [1]
    decided = [
        action for action, _ in entries() if action in ("CHANGE_APPROVED", "CHANGE_REJECTED")
    ]
    assert len(decided) == 1
