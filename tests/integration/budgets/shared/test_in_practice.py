"""L36: a budget of people who practise is never shared with data about real people.

What could be lost: there they change their roles freely, so that two of them agree to invite; their
invented questions would then charge what real people may lose, and one of them could lower it.
"""

from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from dpgov.approvals.models import ChangeRequest
from dpgov.budgets import crossing
from dpgov.budgets.models import BudgetAccess, SharedBudgetInvitation
from dpgov.budgets.services.invitations import LIFETIME, InvalidCode, look_at
from dpgov.tenants import codes
from dpgov.tenants.models import Membership, Role, Tenant
from tests.cast import join
from tests.integration.budgets.shared.sharing import NANO, acting, dataset_budget, shared_budget
from tests.integration.budgets.shared.two_sides import Two
from tests.made_once import made_once

pytestmark = pytest.mark.django_db


@made_once
def two(owner: Membership, stranger: Membership) -> Two:
    """Here people of the owner's organisation practise."""
    cache.clear()
    here = Tenant.objects.create(slug="practice", name="Practice", practice_of=owner.tenant_id)
    mine = dataset_budget(here, "invented visits")
    return Two(
        owner=join(here, Role.OWNER, "pia"),
        officer=join(here, Role.OFFICER, "paul"),
        stranger=stranger,
        their_officer=join(stranger.tenant, Role.OFFICER, "oda"),
        shared=shared_budget(here, "Residents", mine, limit=5 * NANO),
        mine=mine,
        theirs=dataset_budget(stranger.tenant, "their register"),
    )


def _given_out_before(two: Two, **used: Any) -> tuple[SharedBudgetInvitation, str]:
    """An invitation as they were made before this was refused."""
    code, code_hash = codes.new_code()
    made = SharedBudgetInvitation.objects.create(
        tenant=two.owner.tenant,
        shared_budget=two.shared,
        code_hash=code_hash,
        expires_at=timezone.now() + LIFETIME,
        **used,
    )
    return made, code


def test_where_people_practise_nobody_is_invited(two: Two) -> None:
    """L36: not even where two persons agreed to."""
    assert two.code() == ""
    assert ChangeRequest.objects.get().state == "stale"
    assert not SharedBudgetInvitation.objects.exists()


def test_a_code_from_where_people_practise_does_not_work(two: Two) -> None:
    """L36: one that was given out before is like any that is wrong."""
    _, code = _given_out_before(two)
    with acting(two.stranger.tenant), pytest.raises(InvalidCode):
        look_at(code=code, tenant_id=two.stranger.tenant_id)
    with acting(two.stranger.tenant):
        assert crossing.claim(codes.hash_of(code) or "", two.stranger.tenant_id) is None


def test_a_code_that_was_entered_admits_nobody_to_a_budget_of_those_who_practise(two: Two) -> None:
    """L36: whoever approves it later finds no invitation any more."""
    there = two.stranger.tenant
    used, _ = _given_out_before(two, accepted_at=timezone.now(), accepted_by=there)
    with acting(there):
        assert crossing.admit(used.pk, there.pk) is None
    assert not BudgetAccess.objects.filter(budget=two.shared, tenant=there).exists()
