"""L1, F9: officers look at new data, and only what they do then shows."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve
from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset, DatasetVersion, Look
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import (
    AskedAlready,
    change_new_data_rule,
    decide_as_agreed,
    new_data_waits,
    request_decision,
)
from dpgov.datasets.services.held.deciding import DISCARD_HELD_DATASET, RELEASE_HELD_DATASET
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.datasets import quick
from tests.integration.datasets.held.test_others_rows import INVENTED, NAMES, PEOPLE
from tests.made_once import made_once

SignIn = Callable[[Membership], Client]
pytestmark = pytest.mark.django_db
SAID = {"reason": "looked at"}


@made_once
def neighbour(owner: Membership) -> Membership:
    return join(owner.tenant, Role.OWNER, "otto")


@made_once
def desk(officer: Membership, client_for: SignIn) -> Client:
    """The officer's browser."""
    return client_for(officer)


@made_once
def earlier(owner: Membership) -> Dataset:
    return quick.registered(owner, PEOPLE, NAMES, "Earlier")


def page_of(dataset: Dataset) -> str:
    return reverse("datasets:look", args=[current_version(dataset).pk])


def last_entry() -> AuditEntry:
    return AuditEntry.objects.latest("sequence")


LIKE = {
    "exactly the same data": PEOPLE[::-1],
    "most of the rows": PEOPLE[1:],
    "some of the rows": (*PEOPLE[:6], *INVENTED),
    "Nothing that is recognised": INVENTED,
}


@pytest.mark.parametrize("words", LIKE)
def test_an_officer_sees_coarsely_what_a_colleague_s_data_resembles(
    desk: Client, earlier: Dataset, neighbour: Membership, words: str
) -> None:
    """L1: it began at once, on a budget of its own; the officer is told which data it is like."""
    new = quick.registered(neighbour, LIKE[words], NAMES, "New")
    assert (new.held_at, new.budget_id == earlier.budget_id) == (None, False)
    listed = " ".join(desk.get(reverse("datasets:new_data")).content.decode().split())
    assert listed.count("New, version 1") == 1
    page = desk.get(page_of(new)).content.decode()
    assert words in page
    assert (">Earlier</a>" in page) == (words != "Nothing that is recognised")


def test_looking_writes_nothing(desk: Client, earlier: Dataset, neighbour: Membership) -> None:
    """L1: no entry, no row: nothing is left that an owner could count."""
    new = quick.registered(neighbour, PEOPLE, NAMES, "New")
    before = last_entry().sequence
    desk.get(reverse("datasets:new_data"))
    desk.get(page_of(new))
    assert last_entry().sequence == before
    assert not Look.objects.exists()


def test_noted_it_leaves_the_list_with_one_entry(desk: Client, earlier: Dataset) -> None:
    """L1: who looked, and why it goes on."""
    assert desk.post(page_of(earlier), SAID | {"step": "begin"}).status_code == 302
    entry = last_entry()
    assert (entry.action, entry.dataset) == ("DATASET_LOOKED_AT", earlier.slug)
    assert "There is nothing new" in desk.get(reverse("datasets:new_data")).content.decode()
    assert desk.post(page_of(earlier), SAID | {"step": "begin"}).status_code == 422


def test_paused_nobody_can_ask_before_two_persons_have_decided(
    desk: Client,
    earlier: Dataset,
    neighbour: Membership,
    officer: Membership,
    analyst: Membership,
    client_for: SignIn,
) -> None:
    """L1, F9: what was asked before stays charged where it was."""
    new = quick.registered(neighbour, PEOPLE, NAMES, "New")
    assert desk.post(page_of(new), SAID | {"step": "pause"}).status_code == 302
    assert last_entry().action == "DATASET_PAUSED"
    new.refresh_from_db()
    assert new.held_reason == Dataset.HeldReason.PAUSED
    address = reverse("datasets:detail", args=[new.slug])
    assert client_for(analyst).get(address).status_code == 404
    held = client_for(neighbour).get(reverse("datasets:held", args=[new.pk])).content.decode()
    assert "Paused by a compliance officer" in held
    assert "Earlier</a>" not in held
    request = request_decision(
        membership=neighbour, dataset=new, kind=RELEASE_HELD_DATASET, reason="others"
    )
    asked = desk.get(reverse("oversight:approval", args=[request.pk])).content.decode()
    assert reverse("datasets:held", args=[new.pk]) in asked
    approve(request_id=request.pk, decider=officer, reason="yes", carry_out=decide_as_agreed)
    assert client_for(analyst).get(address).status_code == 200


def test_what_could_be_asked_about_does_not_forget_its_budget(
    desk: Client, earlier: Dataset, neighbour: Membership, officer: Membership
) -> None:
    """F11, L1: it neither takes another budget over, nor does discarding make its people new."""
    new = quick.registered(neighbour, PEOPLE, NAMES, "New")
    desk.post(page_of(new), SAID | {"step": "pause"})
    page = reverse("datasets:held", args=[new.pk])
    shown = desk.get(page).content.decode()
    assert "under a shared budget first" in shown
    assert 'name="earlier"' not in shown
    sent = {"kind": "share_held_dataset_budget", "earlier": str(earlier.pk), "reason": "same"}
    assert desk.post(page, sent).status_code == 422
    with pytest.raises(AskedAlready):
        request_decision(
            membership=neighbour,
            dataset=new,
            kind="share_held_dataset_budget",
            reason="same",
            earlier=earlier,
        )
    request = request_decision(
        membership=neighbour, dataset=new, kind=DISCARD_HELD_DATASET, reason="the same"
    )
    approve(request_id=request.pk, decider=officer, reason="yes", carry_out=decide_as_agreed)
    again = quick.registered(neighbour, PEOPLE, NAMES, "Again")
    assert again.budget_id == new.budget_id


def test_where_new_data_waits_it_begins_when_an_officer_has_looked(
    desk: Client, owner: Membership, analyst: Membership, client_for: SignIn
) -> None:
    """L1: whatever it holds; the rule is an entry in the log."""
    desk.post(reverse("datasets:new_data_rule"), {"waits": "yes"})
    assert last_entry().action == "NEW_DATA_RULE_CHANGED"
    assert new_data_waits(owner.tenant_id)
    new = quick.registered(owner, PEOPLE, NAMES, "New")
    address = reverse("datasets:detail", args=[new.slug])
    assert client_for(analyst).get(address).status_code == 404
    waiting = client_for(owner).get(reverse("datasets:held", args=[new.pk])).content.decode()
    assert "all new data waits" in waiting
    desk.post(page_of(new), SAID | {"step": "begin"})
    assert client_for(analyst).get(address).status_code == 200
    new.refresh_from_db()
    assert new.opened_at is not None


def test_a_new_version_waits_as_well(
    desk: Client, owner: Membership, analyst: Membership, client_for: SignIn, earlier: Dataset
) -> None:
    """L1: the dataset as a whole, and what was spent stays where it is."""
    change_new_data_rule(tenant=owner.tenant, waits=True, user=owner.user)
    quick.version_added(owner, earlier, (*PEOPLE, *INVENTED), NAMES)
    address = reverse("datasets:detail", args=[earlier.slug])
    assert client_for(analyst).get(address).status_code == 404
    desk.post(page_of(earlier), SAID | {"step": "begin"})
    assert client_for(analyst).get(address).status_code == 200
    assert DatasetVersion.objects.filter(look__isnull=True).count() == 0


def test_whoever_brought_data_does_not_look_at_it(
    owner: Membership, neighbour: Membership, client_for: SignIn
) -> None:
    """L1: an owner who became an officer knows the rows of the probe."""
    quick.registered(owner, PEOPLE, NAMES, "Earlier")
    probe = quick.registered(neighbour, (*PEOPLE[:2], *INVENTED[:1]), NAMES, "Probe")
    Membership.objects.filter(pk=neighbour.pk).update(role=Role.OFFICER)
    browser = client_for(neighbour)
    page = browser.get(page_of(probe)).content.decode()
    assert "most of the rows" not in page
    assert "Another officer has to look" in page
    for step in ("begin", "pause"):
        assert browser.post(page_of(probe), SAID | {"step": step}).status_code == 422
    assert not Look.objects.exists()


def test_nobody_lets_begin_what_they_brought_as_a_later_version(
    owner: Membership, neighbour: Membership, client_for: SignIn
) -> None:
    """L1: a step is about every version that waits, so none of them may be their own."""
    first = quick.registered(owner, PEOPLE, NAMES, "First")
    quick.version_added(neighbour, first, (*PEOPLE, *INVENTED), NAMES)
    Membership.objects.filter(pk=neighbour.pk).update(role=Role.OFFICER)
    browser, (earlier, _) = client_for(neighbour), first.versions.order_by("number")
    page = reverse("datasets:look", args=[earlier.pk])
    assert browser.post(page, SAID | {"step": "begin"}).status_code == 422
    assert not Look.objects.exists()


def test_released_beside_an_equal_one_of_a_colleague_it_is_not_out_of_date(
    owner: Membership, neighbour: Membership, officer: Membership
) -> None:
    """L1: what becomes of a request is decided by people, not by rows of somebody else's."""
    quick.registered(owner, PEOPLE[1:], NAMES, "Theirs")
    quick.registered(neighbour, PEOPLE, NAMES, "Mine")
    held = quick.registered(neighbour, PEOPLE[1:], NAMES, "Held")
    request = request_decision(
        membership=neighbour, dataset=held, kind=RELEASE_HELD_DATASET, reason="others"
    )
    decision = approve(
        request_id=request.pk, decider=officer, reason="yes", carry_out=decide_as_agreed
    )
    assert decision.request.state == ChangeRequest.State.APPROVED
