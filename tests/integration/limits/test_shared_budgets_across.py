"""Two organisations agree on their pages to share a budget, and learn nothing about each other."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dpgov.approvals.models import ChangeRequest
from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget, SharedBudgetInvitation, SharedBudgetMember
from dpgov.budgets.services.invitations import ACCEPT_SHARED_BUDGET
from dpgov.budgets.services.raising import RAISE_LIMIT
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, Role, Tenant
from tests.cast import Ask, join
from tests.integration.dashboards.reading import page

pytestmark = pytest.mark.django_db
ACCEPT = "/shared-budgets/accept/"
_CODE = re.compile(r"<code[^>]*>((?:[A-Z2-7]{4}-){5}[A-Z2-7]{4})</code>")


@dataclass(frozen=True)
class Sides:
    """Browsers of two persons here and two there, and the budget that is shared."""

    owner: Client
    officer: Client
    their_owner: Client
    their_officer: Client
    shared: Budget
    theirs: Dataset

    def invited(self) -> str:
        """Requested and approved here: the code, as the officer reads it once."""
        sharing = reverse("limits:shared_budget_share", args=[self.shared.pk])
        sent = self.owner.post(sharing, {"reason": "they have the same people"})
        request = sent.headers["Location"]
        shown = self.officer.post(request + "approve/", {"reason": "yes"}).content.decode()
        found = _CODE.search(shown)
        assert found is not None
        assert found[1] not in page(self.officer, request)
        return found[1]

    def entered(self, code: str, reason: str = "the same people") -> str:
        """Where the other owner is sent after choosing their dataset."""
        body = {"code": code, "datasets": [self.theirs.budget_id], "reason": reason}
        return self.their_owner.post(ACCEPT, body).headers["Location"]

    def joined(self) -> None:
        """The whole way."""
        request = self.entered(self.invited())
        assert self.their_officer.post(request + "approve/", {"reason": "yes"}).status_code == 302
        assert SharedBudgetMember.objects.filter(shared_budget=self.shared).count() == 2


@pytest.fixture
def sides(
    owner: Membership,
    officer: Membership,
    stranger: Membership,
    dataset: Dataset,
    foreign_dataset: Dataset,
    client_for: Callable[[Membership], Client],
) -> Sides:
    cache.clear()
    shared = open_shared_budget(
        tenant=owner.tenant, name="Residents", limit_nano=5 * NANO, actor=OPERATOR
    )
    join_shared_budget(shared_budget=shared, dataset_budget=dataset.budget, actor=OPERATOR)
    return Sides(
        owner=client_for(owner),
        officer=client_for(officer),
        their_owner=client_for(stranger),
        their_officer=client_for(join(stranger.tenant, Role.OFFICER, "oda")),
        shared=shared,
        theirs=foreign_dataset,
    )


def test_a_code_shows_what_is_offered_and_nothing_else(sides: Sides, tenant: object) -> None:
    """H8: the name, the limit and the total; not who offers it, nor which datasets share it."""
    answer = sides.their_owner.post(ACCEPT, {"code": sides.invited()})
    html = answer.content.decode()
    assert answer.status_code == 200
    assert "Residents" in html
    assert "ε&nbsp;5" in html
    for secret in ("Harbour", "Visits", "olga", str(sides.shared.pk)):
        assert secret not in html


def test_where_people_practise_the_page_says_why_nobody_is_invited(
    owner: Membership, client_for: Callable[[Membership], Client]
) -> None:
    """L36: before anybody is asked to approve it."""
    here = Tenant.objects.create(slug="practice", name="Practice", practice_of=owner.tenant_id)
    shared = open_shared_budget(tenant=here, name="Residents", limit_nano=NANO, actor=OPERATOR)
    sharing = reverse("limits:shared_budget_share", args=[shared.pk])
    answer = client_for(join(here, Role.OWNER, "pia")).post(sharing, {"reason": "the same people"})
    assert "People practise here on invented rows" in answer.content.decode()
    assert not ChangeRequest.objects.exists()


def test_a_code_that_does_not_work_is_always_answered_alike(sides: Sides) -> None:
    """H8: wrong, used or one's own."""
    used = sides.invited()
    sides.entered(used)
    own = sides.invited()
    answers = {
        (answer.status_code, _refusal(answer.content.decode()))
        for answer in (
            sides.their_owner.post(ACCEPT, {"code": "A" * 24}),
            sides.their_owner.post(ACCEPT, {"code": "nonsense"}),
            sides.their_owner.post(ACCEPT, {"code": used}),
            sides.their_owner.post(
                ACCEPT,
                {"code": used, "datasets": [sides.theirs.budget_id], "reason": "again"},
            ),
            sides.owner.post(ACCEPT, {"code": own}),
        )
    }
    ((status, words),) = answers
    assert status == 422
    assert "This code does not work" in words


def _refusal(html: str) -> str:
    found = re.search(r'class="invalid-feedback[^>]*>(.*?)</div>', html, re.DOTALL)
    assert found is not None
    return " ".join(found[1].split())


def test_a_code_that_was_entered_is_approved_while_it_is_good(sides: Sides) -> None:
    """F8: whoever invited counts on its seven days; afterwards it takes a new one."""
    request = sides.entered(sides.invited())
    late = timezone.now() - timedelta(seconds=1)
    SharedBudgetInvitation.objects.update(expires_at=late)
    sides.their_officer.post(request + "approve/", {"reason": "yes"})
    assert ChangeRequest.objects.get(kind=ACCEPT_SHARED_BUDGET).state == "stale"
    assert "Ask for a new code" in page(sides.their_owner, request)
    assert not SharedBudgetMember.objects.filter(dataset_budget=sides.theirs.budget_id).exists()


def test_a_forgotten_reason_does_not_use_the_code_up(sides: Sides) -> None:
    code = sides.invited()
    answer = sides.their_owner.post(ACCEPT, {"code": code, "reason": ""})
    html = answer.content.decode()
    assert answer.status_code == 422
    assert "Choose at least one dataset." in html
    assert "Give a reason." in html
    assert "/approvals/" in sides.entered(code)


def test_a_refused_request_keeps_the_datasets_and_the_reason(sides: Sides) -> None:
    """The second of two codes for one budget: it works, and that budget was asked for before."""
    first, second = sides.invited(), sides.invited()
    sides.entered(first)
    body = {"code": second, "datasets": [sides.theirs.budget_id], "reason": "the very same people"}
    refused = sides.their_owner.post(ACCEPT, body)
    html = refused.content.decode()
    assert refused.status_code == 422
    assert "alert-danger" in html
    assert "the very same people" in html
    assert re.search(rf'value="{sides.theirs.budget_id}"[^>]* checked', html)
    assert second in html


def test_after_four_persons_agreed_both_see_one_total_and_no_more(
    sides: Sides,
    analyst: Membership,
    stranger: Membership,
    owner: Membership,
    ask: Ask,
) -> None:
    """H1, H8: every page of either side about it, searched for what is the other's."""
    lowering = reverse("limits:shared_budget_limit", args=[sides.shared.pk])
    lower = {"epsilon_limit": "4", "confirmed": str(4 * NANO), "reason": "our secret plan"}
    sides.owner.post(lowering, lower)
    sides.joined()
    ask(analyst, epsilon=1)
    ask(join(stranger.tenant, Role.ANALYST, "fiona"), epsilon=0.5, of=sides.theirs)
    ours = ("Harbour", "Visits", "olga", "oscar", "anna", "secret plan", str(owner.tenant_id))
    theirs = ("Elsewhere", "Foreign", "sven", "oda", "fiona", str(stranger.tenant_id))
    for client, secrets, slug in (
        (sides.owner, theirs, "visits"),
        (sides.officer, theirs, "visits"),
        (sides.their_owner, ours, "foreign"),
        (sides.their_officer, ours, "foreign"),
    ):
        pages = [page(client, path) for path in _pages(sides, slug)]
        assert "ε&nbsp;1.5" in pages[0]
        assert "Datasets of another organisation" in pages[0]
        assert "datasets of another organisation" in pages[-1]
        assert [secret for secret in secrets for html in pages if secret in html] == []


def _pages(sides: Sides, slug: str) -> list[str]:
    names = ("shared_budget", "shared_budget_divide")
    return [
        *(reverse(f"limits:{name}", args=[sides.shared.pk]) for name in names),
        reverse("limits:shared_budgets"),
        reverse("oversight:approvals"),
        reverse("datasets:detail", args=[slug]),
    ]


def test_only_whose_budget_it_is_changes_its_limit_or_shares_it_further(sides: Sides) -> None:
    """H1: to the other organisation those pages look missing; raising is nobody's alone."""
    sides.joined()
    for name in ("merge", "share", "limit", "raise"):
        path = reverse(f"limits:shared_budget_{name}", args=[sides.shared.pk])
        assert sides.their_owner.get(path).status_code == 404
        assert sides.their_owner.post(path).status_code == 404
    path = reverse("limits:shared_budget_raise", args=[sides.shared.pk])
    body = {"epsilon_limit": "6", "reason": "more", "confirmed": str(6 * NANO)}
    answer = sides.owner.post(path, body)
    assert answer.status_code == 422
    assert "agreed to its limit" in answer.content.decode()
    assert not ChangeRequest.objects.filter(kind=RAISE_LIMIT).exists()


def test_a_raise_that_cannot_be_is_offered_nowhere_once_they_agreed(sides: Sides) -> None:
    """A8: before anybody has typed a reason; lowering says that nobody can take it back."""
    sides.joined()
    higher, lower = (
        reverse(f"limits:shared_budget_{name}", args=[sides.shared.pk])
        for name in ("raise", "limit")
    )
    said = page(sides.owner, higher)
    assert "agreed to its limit" in said
    assert "epsilon_limit" not in said
    assert higher not in page(sides.owner, lower)
    sent = sides.owner.post(lower, {"epsilon_limit": "4", "reason": "less"}).content.decode()
    assert "Nobody can raise it again" in sent
    assert "two persons" not in sent


def test_a_raise_that_was_requested_before_they_joined_is_out_of_date(sides: Sides) -> None:
    """A8: they agreed to the limit that they saw."""
    path = reverse("limits:shared_budget_raise", args=[sides.shared.pk])
    body = {"epsilon_limit": "6", "reason": "more", "confirmed": str(6 * NANO)}
    request = sides.owner.post(path, body).headers["Location"]
    sides.joined()
    sides.officer.post(request + "approve/", {"reason": "yes"})
    assert ChangeRequest.objects.get(kind=RAISE_LIMIT).state == "stale"
    assert Budget.objects.get(pk=sides.shared.pk).limit_nano == 5 * NANO


def test_they_leave_with_the_whole_total_and_by_two_persons(sides: Sides) -> None:
    """F11"""
    sides.joined()
    path = reverse("limits:shared_budget_divide", args=[sides.shared.pk])
    body = {"datasets": [sides.theirs.budget_id], "name": "Ours", "reason": "not the same"}
    request = sides.their_owner.post(path, body).headers["Location"]
    assert sides.their_officer.post(request + "approve/", {"reason": "yes"}).status_code == 302
    apart = Budget.objects.get(label="Ours")
    assert (apart.tenant_id, apart.limit_nano) == (sides.theirs.tenant_id, 5 * NANO)
    assert "another organisation share it" not in page(
        sides.owner, reverse("limits:shared_budget", args=[sides.shared.pk])
    )


def test_every_step_is_found_again_in_the_log_of_either_side(
    sides: Sides, owner: Membership, stranger: Membership, analyst: Membership, ask: Ask
) -> None:
    """G8: carried over, joined, merged and left, with questions in between: nothing unexplained."""
    fiona = join(stranger.tenant, Role.ANALYST, "fiona")
    ask(fiona, epsilon=0.5, of=sides.theirs)
    sides.joined()
    ask(analyst, epsilon=1)
    ask(fiona, epsilon=0.25, of=sides.theirs)
    other = open_shared_budget(
        tenant=owner.tenant, name="Other", limit_nano=4 * NANO, actor=OPERATOR
    )
    path = reverse("limits:shared_budget_merge", args=[sides.shared.pk])
    request = sides.owner.post(path, {"other": other.pk, "reason": "the same"}).headers["Location"]
    sides.officer.post(request + "approve/", {"reason": "yes"})
    path = reverse("limits:shared_budget_divide", args=[sides.shared.pk])
    body = {"datasets": [sides.theirs.budget_id], "name": "Ours", "reason": "not the same"}
    request = sides.their_owner.post(path, body).headers["Location"]
    sides.their_officer.post(request + "approve/", {"reason": "yes"})
    totals = Budget.objects.filter(kind="shared_budget", closed_at__isnull=True)
    assert [total.committed_nano for total in totals] == [1_750_000_000] * 2
    for tenant in (owner.tenant, stranger.tenant):
        with acting_for(tenant.pk):
            assert reconcile(tenant).findings == ()
