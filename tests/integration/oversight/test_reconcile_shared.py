"""G8: parts, shared budgets that merge and part, and two organisations: all by the log alone."""

from collections.abc import Callable

import pytest

from dpgov.approvals.kinds import carry_out
from dpgov.approvals.services import approve
from dpgov.budgets.models import Budget
from dpgov.budgets.services import confirm_budget, freeze_tenant, open_parts
from dpgov.budgets.services.agreed import INVITE_TO_SHARE, accept_as_agreed, invite_as_agreed
from dpgov.budgets.services.invitations import request_to_join
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.selectors import actor_of
from tests.agreed import given_a_budget_of_its_own
from tests.cast import join
from tests.integration.budgets.shared.sharing import acting, ask_for, leaving, merging
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db(transaction=True)

NANO = 10**9
Asking = Callable[..., Query]
Answering = Callable[[], int]


def shared_budget(owner: Membership, name: str, dataset: Dataset) -> Budget:
    """A shared budget with this dataset."""
    by = actor_of(owner.user)
    budget = open_shared_budget(tenant=owner.tenant, name=name, limit_nano=20 * NANO, actor=by)
    join_shared_budget(shared_budget=budget, dataset_budget=dataset.budget, actor=by)
    return budget


def _with_a_budget_of_its_own(dataset: Dataset) -> Dataset:
    """The invented rows are the same for all, so that a second dataset would share the first's."""
    limit = dataset.budget.limit_nano
    given_a_budget_of_its_own(dataset, label=dataset.slug, limit_nano=limit)
    return dataset


def test_parts_and_what_was_booked_on_each_of_them_agree(
    dataset: Dataset,
    analyst: Membership,
    officer: Membership,
    ask: Asking,
    answer_all: Answering,
) -> None:
    """G8, A9"""
    open_parts(budget=dataset.budget, parts=["Female", "Male"])
    ask(analyst)
    answer_all()
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
    confirm_budget(
        budget=dataset.budget, actor=actor_of(officer.user), reason="compared", missing_nano=NANO
    )
    ask(analyst)
    assert reconcile(dataset.tenant).findings == ()


def test_budgets_that_merge_and_part_again_agree(
    dataset: Dataset,
    owner: Membership,
    analyst: Membership,
    officer: Membership,
    ask: Asking,
    answer_all: Answering,
) -> None:
    """G8, F8"""
    wages = _with_a_budget_of_its_own(register_small_dataset(owner, name="Wages"))
    ask(analyst), ask(analyst, of=wages, epsilon=0.25)
    answer_all()
    one, two = shared_budget(owner, "Patients", dataset), shared_budget(owner, "Staff", wages)
    ask(analyst), ask(analyst, of=wages)
    answer_all()
    for request in (merging(owner, one, two), leaving(owner, one, wages.budget, name="Staff 2")):
        approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=carry_out)
        ask(analyst), ask(analyst, of=wages)
        answer_all()
    assert reconcile(dataset.tenant).findings == ()


def test_a_budget_shared_by_two_organisations_agrees_on_both_sides(
    dataset: Dataset,
    foreign_dataset: Dataset,
    owner: Membership,
    officer: Membership,
    analyst: Membership,
    stranger: Membership,
    ask: Asking,
    answer_all: Answering,
) -> None:
    """G8, H2: each log explains its own part, and nobody needs the other's."""
    their_officer = join(stranger.tenant, Role.OFFICER, "frida")
    their_analyst = join(stranger.tenant, Role.ANALYST, "fiona")
    ask(their_analyst, of=foreign_dataset)
    answer_all()
    shared = shared_budget(owner, "Patients", dataset)
    invitation = ask_for(owner, INVITE_TO_SHARE, shared_budget=str(shared.pk))
    invited = approve(
        request_id=invitation.pk, decider=officer, reason="yes", carry_out=invite_as_agreed
    )
    with acting(stranger.tenant):
        request = request_to_join(
            membership=stranger,
            code=invited.shown_once,
            dataset_budgets=[foreign_dataset.budget],
            reason="the same people",
        )
        approve(
            request_id=request.pk, decider=their_officer, reason="yes", carry_out=accept_as_agreed
        )
    ask(analyst), ask(their_analyst, of=foreign_dataset)
    answer_all()
    assert Budget.objects.get(pk=shared.pk).spent_nano == 3 * NANO // 2
    for tenant in (dataset.tenant, foreign_dataset.tenant):
        with acting(tenant):
            assert reconcile(tenant).findings == ()
