"""B12: what is asked for is dated by the database, as the role of whoever asks is.

What could be lost: on a machine whose clock is behind, whatever somebody asks for soon after they
joined would have come before them, and would lapse for good.
"""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from dpgov.approvals.services import approve
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import pause_questions, resume_questions
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.asking.approval import why_not
from dpgov.queries.models import BudgetRequest
from dpgov.queries.workbench import budget_requests
from dpgov.tenants.invitations import invite
from dpgov.tenants.joining import look_at
from dpgov.tenants.models import Membership
from tests.integration.approvals.conftest import Asking, Counted
from tests.integration.queries.asking.approving import approved, needs_approval


@pytest.fixture(autouse=True)
def _behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine's clock is half a minute behind the database's."""

    def late() -> datetime:
        return timezone.now() - timedelta(seconds=30)

    monkeypatch.setattr(clock, "database_now", timezone.now)
    monkeypatch.setattr(clock, "now", late)


def _has_just_joined(member: Membership) -> None:
    Membership.objects.filter(pk=member.pk).update(role_since=clock.database_now())


def test_a_change_can_be_requested_as_soon_as_one_has_joined(
    owner: Membership, officer: Membership, asking: Asking, change: Counted
) -> None:
    """F8, B12: what the officer approves is done."""
    _has_just_joined(owner)
    request = asking(owner)
    decision = approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=change)
    assert (decision.request.state, len(change.requests)) == ("approved", 1)


def test_a_decision_is_dated_after_what_it_decides(
    owner: Membership, officer: Membership, asking: Asking, change: Counted
) -> None:
    """B12: and before what it leads to, which is how the database knows that it was used."""
    request = asking(owner)
    decision = approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=change)
    assert decision.request.decided_at is not None
    assert decision.request.decided_at > request.requested_at


def test_an_approval_ends_with_a_pause_that_another_machine_ended(
    owner: Membership, analyst: Membership, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L40, B12: the owner's answer came by a machine whose clock is ahead."""
    needs_approval(dataset)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(clock, "now", lambda: timezone.now() + timedelta(minutes=5))
        approval = approved(analyst, owner, dataset)
    pause_questions(dataset=dataset, user=owner.user, reason="a doubt")
    resume_questions(dataset=dataset, user=owner.user)
    assert why_not(approval, current_version(dataset)) == "paused"


def test_budget_can_be_asked_for_as_soon_as_one_has_joined(
    owner: Membership, analyst: Membership, dataset: Dataset
) -> None:
    """B12: what the owner grants is granted."""
    _has_just_joined(analyst)
    asked = budget_requests.ask_for_budget(
        membership=analyst,
        dataset=dataset,
        about=BudgetRequest.About.ALLOCATION,
        epsilon_nano=NANO,
        reason="the study",
    )
    answered = budget_requests.grant_request(
        membership=owner, request_id=asked.pk, limit_nano=NANO, answer="yes"
    )
    assert answered.state == BudgetRequest.State.GRANTED


def test_a_new_administrator_s_invitation_can_be_accepted(admin: Membership) -> None:
    """L9, B12: it ends with its sender's role, and not because that began before it."""
    _has_just_joined(admin)
    _, token = invite(membership=admin, email="nora@example.org", role="analyst")
    assert look_at(token).email == "nora@example.org"
