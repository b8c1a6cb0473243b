"""F8: a request is about somebody as they were, and stands for whose it is, whoever made it."""

import pytest
from django.db import DatabaseError, transaction

from dpgov.approvals import giving
from dpgov.approvals.errors import OwnRequest
from dpgov.approvals.kinds import carry_out
from dpgov.approvals.models import ASKED_BY, ChangeRequest
from dpgov.approvals.selectors import decidable_by, deciders, in_requests
from dpgov.approvals.services import approve, reject
from dpgov.budgets.models import Budget
from dpgov.budgets.services.limits import move_limit
from dpgov.budgets.services.raising import RAISE_LIMIT
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import BudgetRequest
from dpgov.queries.workbench.budget_requests import ask_for_budget, pass_on
from dpgov.tenants import invitations
from dpgov.tenants.joining import accept
from dpgov.tenants.models import Membership, Role, Tenant
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.services import change_role, remove_member
from tests.agreed import agree
from tests.cast import join
from tests.made_once import made_once

pytestmark = pytest.mark.django_db


@made_once
def other_admin(admin: Membership) -> Membership:
    return join(admin.tenant, Role.ADMIN, "ada")


@made_once
def made_owner(admin: Membership, analyst: Membership) -> ChangeRequest:
    """Waits for an officer."""
    request = giving.change_role(membership=analyst, by=admin, role="owner", reason="a colleague")
    assert request is not None
    return request


def test_a_role_is_not_given_to_who_was_removed_and_came_back(
    analyst: Membership, officer: Membership, other_admin: Membership, made_owner: ChangeRequest
) -> None:
    """F8, L39: they keep their account where they belong to another organisation too."""
    elsewhere = Tenant.objects.create(slug="elsewhere", name="Elsewhere")
    Membership.objects.create(tenant=elsewhere, user=analyst.user, role=Role.ANALYST)
    remove_member(membership=analyst, actor=actor_of(other_admin.user))
    _, token = invitations.invite(
        membership=other_admin, email=analyst.user.email, role=Role.ANALYST
    )
    back = accept(token=token, person=analyst.user)
    decided = approve(request_id=made_owner.pk, decider=officer, reason="ok", carry_out=carry_out)
    back.refresh_from_db()
    assert back.user_id == analyst.user_id
    assert (decided.request.state, back.role) == ("stale", Role.ANALYST)


def test_a_role_is_not_given_after_another_one_in_between(
    analyst: Membership, officer: Membership, other_admin: Membership, made_owner: ChangeRequest
) -> None:
    """F8, L39: what an officer agreed to was somebody who had been an analyst all the time."""
    for role in (Role.ADMIN, Role.ANALYST):
        change_role(membership=analyst, role=role, actor=actor_of(other_admin.user))
    decided = approve(request_id=made_owner.pk, decider=officer, reason="ok", carry_out=carry_out)
    analyst.refresh_from_db()
    assert (decided.request.state, analyst.role) == ("stale", Role.ANALYST)


def test_the_database_gives_a_second_role_to_nobody_who_was_another_meanwhile(
    admin: Membership, other_admin: Membership
) -> None:
    """F8, L39: an old agreement cannot be used for who came back."""
    known = {"member": str(other_admin.user_id), "email": other_admin.user.email}
    agree(admin.tenant, giving.GIVE_ROLE, **known, before="admin", role="admin+analyst")
    for role in (Role.ANALYST, Role.ADMIN):
        change_role(membership=other_admin, role=role, actor=actor_of(admin.user))
    row = Membership.objects.filter(pk=other_admin.pk)
    with pytest.raises(DatabaseError, match="two persons"), transaction.atomic():
        row.update(second_role=Role.ANALYST, second_since=row.get().role_since)


def test_who_asked_for_a_higher_limit_never_decides_it(
    analyst: Membership, owner: Membership, officer: Membership, dataset: Dataset
) -> None:
    """F8: also as the officer that they became after an owner had passed it on."""
    asked: BudgetRequest = ask_for_budget(
        membership=analyst, dataset=dataset, about="limit", epsilon_nano=20 * NANO, reason="a study"
    )
    pass_on(membership=owner, request_id=asked.pk, limit_nano=20 * NANO, answer="for an officer")
    passed_on = ChangeRequest.objects.get(kind=RAISE_LIMIT)
    Membership.objects.filter(pk=analyst.pk).update(role=Role.OFFICER)
    analyst.refresh_from_db()
    assert [one.user for one in deciders(passed_on)] == [officer.user]
    assert list(decidable_by(analyst, *in_requests(analyst))) == []
    assert list(decidable_by(officer, *in_requests(officer))) == [passed_on]
    with pytest.raises(OwnRequest):
        approve(request_id=passed_on.pk, decider=analyst, reason="ok", carry_out=carry_out)
    with pytest.raises(OwnRequest):
        reject(request_id=passed_on.pk, decider=analyst, reason="no")
    decided = approve(request_id=passed_on.pk, decider=officer, reason="ok", carry_out=carry_out)
    assert decided.request.state == "approved"


def test_the_database_raises_no_limit_that_was_decided_by_who_asked_for_it(
    dataset: Dataset, owner: Membership, officer: Membership
) -> None:
    """F8: two members agreed, and one of them wanted it."""
    budget = Budget.objects.get(pk=dataset.budget_id)
    amounts = {"before_nano": budget.limit_nano, "after_nano": budget.limit_nano + 1}
    asked_by = {ASKED_BY: str(officer.user_id)}
    agree(budget.tenant, RAISE_LIMIT, budget=str(budget.pk), **amounts, **asked_by)
    with pytest.raises(DatabaseError, match="two persons"), transaction.atomic():
        move_limit(budget=budget, limit_nano=budget.limit_nano + 1, reason="more")
    asked_by = {ASKED_BY: str(owner.user_id)}
    agree(budget.tenant, RAISE_LIMIT, budget=str(budget.pk), **amounts, **asked_by)
    move_limit(budget=budget, limit_nano=budget.limit_nano + 1, reason="more")
