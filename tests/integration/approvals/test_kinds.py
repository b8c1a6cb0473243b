"""What takes two persons is said once, by the room that carries it out."""

from dataclasses import replace

import pytest
from django.db.models import Q

from dpgov.approvals.errors import NotApproved
from dpgov.approvals.kinds import Second, carry_out, kind_of, kinds_decided_by, register
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve, approved
from dpgov.budgets.services.corrections import REFUND
from dpgov.budgets.services.raising import RAISE_LIMIT
from dpgov.datasets.models import Dataset
from dpgov.notices.events.happenings import named_by
from dpgov.notices.kinds import Kind
from dpgov.notices.words import page_of, sentence
from dpgov.oversight.background import background_of
from dpgov.tenants.models import Membership
from tests.integration.approvals.conftest import Asking, Counted

RAISE, TOO = kind_of(RAISE_LIMIT), Second.OFFICER_OR_OWNER


def test_a_change_is_carried_out_for_an_approved_request_of_its_kind_only(
    owner: Membership, officer: Membership, asking: Asking, change: Counted
) -> None:
    """F8: whoever carries out asks the database whether two persons agreed."""
    request = asking(owner)
    with pytest.raises(NotApproved):
        approved(request, RAISE_LIMIT)
    request.state, request.decided_by = "approved", officer.user
    with pytest.raises(NotApproved):
        approved(request, RAISE_LIMIT)
    approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=change)
    with pytest.raises(NotApproved):
        approved(request, REFUND)
    assert approved(request, RAISE_LIMIT) == {"from": 3, "to": 5}


@pytest.mark.django_db
def test_what_no_room_registered_cannot_be_requested(owner: Membership, asking: Asking) -> None:
    """F8"""
    with pytest.raises(KeyError):
        asking(owner, "sell_everything")
    assert not ChangeRequest.objects.exists()


def test_a_value_belongs_to_one_kind() -> None:
    """F8: two rooms cannot both carry out the same request."""
    with pytest.raises(ValueError, match="registered twice"):
        register([replace(kind_of(RAISE_LIMIT))])
    register([kind_of(RAISE_LIMIT)])


@pytest.mark.django_db
def test_a_new_kind_is_one_entry(
    owner: Membership,
    officer: Membership,
    asking: Asking,
    change: Counted,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F8: who asks, who decides, what happens and how it is told all come out of the entry."""
    monkeypatch.setattr("dpgov.approvals.kinds._kinds", {})
    register([replace(RAISE, value="paint", carry_out=change, page="people:members", second=TOO)])
    request = asking(officer, "paint")
    assert kinds_decided_by(TOO) == ["paint"]
    decision = approve(request_id=request.pk, decider=owner, reason="yes", carry_out=carry_out)
    assert (decision.request.state, len(change.requests)) == ("approved", 1)
    detail = {"change": "paint", "state": "approved", "request": str(request.pk)}
    assert sentence(Kind.DECISION, detail).startswith("The request “Raise a limit” was approved")
    assert page_of(Kind.DECISION, detail) == "/members/"


def test_which_datasets_a_change_is_about_comes_out_of_its_entry(
    owner: Membership, dataset: Dataset, asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F8: for who decides, and for notices, which name nothing that a reader does not see."""
    monkeypatch.setattr("dpgov.approvals.kinds._kinds", {})
    register([replace(RAISE, value="paint", about=lambda _: Q(slug=dataset.slug))])
    request = asking(owner, "paint")
    assert named_by(request)[1] == dataset.pk
    assert background_of(request).budget == dataset.budget
