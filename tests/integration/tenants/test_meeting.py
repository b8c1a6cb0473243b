"""M100: whoever changes people, decides or freezes waits for others, and nobody for each other.

What could happen: of two steps that wait for each other the database ends one, after a second; its
person reads that the installation cannot answer, and a freeze goes no further. On SQLite, which has
one writer, they come one after the other.
"""

from collections.abc import Callable
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.db import connection, transaction

from dpgov.approvals import services as approving
from dpgov.approvals.kinds import Effect
from dpgov.approvals.models import ChangeRequest
from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget
from dpgov.budgets.services import freeze_tenant
from dpgov.budgets.services.raising import request_raise
from dpgov.budgets.services.shared_budgets import open_shared_budget
from dpgov.budgets.standing import FREEZABLE
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.asking.submit import submit
from dpgov.tenants.invitations import invite
from dpgov.tenants.models import ApiToken, Membership, Role
from dpgov.tenants.services import remove_member
from dpgov.tenants.tokens import create_token, revoke_token
from tests.agreed import given_a_budget_of_its_own
from tests.cast import join
from tests.integration.budgets.shared.sharing import acting
from tests.integration.children import run_at_once
from tests.integration.meeting import Turn, until_somebody_waits
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db(transaction=True)
_PLAN = {"statistics": [{"statistic": "count"}], "where": [], "group_by": [], "epsilon": 0.1}


class Meeting:
    """One holds what the other wants, and goes on when the other waits for it, or is done."""

    def __init__(self, member: Membership) -> None:
        self._tenant, self._holds, self._done = member.tenant, Turn(), Turn()

    def pause(self) -> None:
        """Of the first, in the middle of its transaction."""
        self._holds.give()
        until_somebody_waits(self._done)

    def of(self, first: Callable[[], object], then: Callable[[], object]) -> list[int]:
        """How both ended, 0 if well."""

        def begin() -> None:
            with acting(self._tenant), transaction.atomic():
                first()

        def follow() -> None:
            self._holds.wait()
            with acting(self._tenant):
                then()
            self._done.give()

        return run_at_once([begin, follow])


def _ask(analyst: Membership, dataset: Dataset) -> None:
    plan = {**_PLAN, "dataset": dataset.slug}
    submit(membership=analyst, dataset=dataset, raw_plan=plan, idempotency_key=str(uuid4()))


@pytest.mark.parametrize("step", ["remove", "invite"])
def test_a_question_is_asked_while_people_change(
    step: str, dataset: Dataset, analyst: Membership, admin: Membership
) -> None:
    """M100: what refers to the organisation is asked for last, when the question has the log."""
    meeting, former = Meeting(analyst), join(admin.tenant, Role.ANALYST, "zoe")

    def ask() -> None:
        _ask(analyst, dataset)
        meeting.pause()

    def change() -> None:
        if step == "remove":
            remove_member(membership=former, actor=OPERATOR)
            return
        invite(membership=admin, email="new@example.org", role=Role.ANALYST)

    assert meeting.of(ask, change) == [0, 0]
    assert Membership.objects.filter(pk=former.pk).exists() == (step != "remove")


def test_a_decision_is_made_while_who_decides_is_removed(
    dataset: Dataset, owner: Membership, officer: Membership
) -> None:
    """M100: the decision was there first, and holds."""
    meeting, change = Meeting(owner), _asked_for(owner, dataset.budget)

    def removed() -> None:
        remove_member(membership=officer, actor=OPERATOR)

    with patch.object(approving, "_still_stands", _after(approving._still_stands, meeting)):
        assert meeting.of(lambda: _agree(change, officer), removed) == [0, 0]
    change.refresh_from_db()
    assert change.state == ChangeRequest.State.APPROVED
    assert not Membership.objects.filter(pk=officer.pk).exists()


def test_two_decide_about_each_other_s_requests_at_once(
    dataset: Dataset, owner: Membership
) -> None:
    """M100, F9: neither waits for the other's row while it holds what the other one wants."""
    meeting, otto = Meeting(owner), join(owner.tenant, Role.OWNER, "otto")
    second = register_small_dataset(owner, name="Second")
    given_a_budget_of_its_own(second, label="Second", limit_nano=5 * NANO)
    one, other = _asked_for(owner, dataset.budget), _asked_for(otto, second.budget)

    def first() -> None:
        with patch.object(approving, "_waiting", _after(approving._waiting, meeting)):
            _agree(one, otto)

    # Kinds whose sides are in both directions are few; any will do for the order of locks.
    with patch.object(approving, "has_role_to_decide", return_value=True):
        assert meeting.of(first, lambda: _agree(other, owner)) == [0, 0]
    states = set(ChangeRequest.objects.values_list("state", flat=True))
    assert states == {ChangeRequest.State.APPROVED}


def test_a_freeze_takes_budgets_in_the_order_in_which_questions_take_them(
    owner: Membership, dataset: Dataset
) -> None:
    """M100, A2: it holds no other while it waits for the first of them."""
    for name in "abcdefgh":
        open_shared_budget(tenant=owner.tenant, name=name, limit_nano=NANO, actor=OPERATOR)
    frozen = Budget.objects.filter(FREEZABLE, tenant=owner.tenant)
    meeting, first = Meeting(owner), frozen.order_by("pk")[0]

    def take() -> None:
        Budget.objects.select_for_update(no_key=True).get(pk=first.pk)
        meeting.pause()
        assert len(frozen.order_by("pk").select_for_update(no_key=True)) == 9

    def freeze() -> None:
        if connection.vendor == "postgresql":
            # As a planner may: by where they lie, and not by an index that has their order.
            with connection.cursor() as cursor:
                cursor.execute("SET enable_indexscan = off; SET enable_bitmapscan = off")
        freeze_tenant(tenant_id=owner.tenant_id, reason="restored")

    assert meeting.of(take, freeze) == [0, 0]
    assert frozen.filter(frozen_at=None).count() == 0


def test_a_token_is_ended_while_its_person_is_removed(
    analyst: Membership, admin: Membership
) -> None:
    """M100: rows come before the log, whose turn everybody takes last."""
    token, _ = create_token(membership=analyst, name="own", actor=OPERATOR)
    meeting = Meeting(analyst)

    def end() -> None:
        ApiToken.objects.select_for_update().get(pk=token.pk)
        meeting.pause()
        revoke_token(token=token, actor=OPERATOR)

    assert meeting.of(end, lambda: remove_member(membership=analyst, actor=OPERATOR)) == [0, 0]
    assert not ApiToken.objects.filter(pk=token.pk).exists()


def _asked_for(member: Membership, budget: Budget) -> ChangeRequest:
    limit = budget.limit_nano + NANO
    return request_raise(membership=member, budget=budget, limit_nano=limit, reason="more")


def _agree(change: ChangeRequest, decider: Membership) -> None:
    """Nothing follows from it."""
    approving.approve(
        request_id=change.pk, decider=decider, reason="agreed", carry_out=lambda _: Effect()
    )


def _after(step: Callable[..., object], meeting: Meeting) -> Callable[..., object]:
    """The step, and then a pause."""

    def both(*arguments: object, **named: object) -> object:
        found = step(*arguments, **named)
        meeting.pause()
        return found

    return both
