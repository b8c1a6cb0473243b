"""What the doors of shared budgets need before they are knocked at, and one good body of each."""

import hashlib
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from dpgov.budgets.models import Budget, SharedBudgetInvitation
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of
from tests.agreed import who_stays
from tests.integration.access.world import World

_CODE = "ABCD" * 6
_REASON = {"reason": "these are the same people"}


def shared_budget_of(owner: Membership) -> UUID:
    """A shared budget without members."""
    return _opened(owner, f"Residents of {owner.tenant.slug}").pk


def _opened(owner: Membership, name: str) -> Budget:
    return open_shared_budget(
        tenant=owner.tenant, name=name, limit_nano=5 * NANO, actor=actor_of(owner.user)
    )


def opening() -> dict[str, Any]:
    return {"name": "Commuters", "epsilon_limit": "4"}


def joining() -> dict[str, Any]:
    return {"dataset": str(Dataset.objects.get(slug="visits").budget_id)}


def lowering() -> dict[str, Any]:
    return {"epsilon_limit": "2", "confirmed": str(2 * NANO), **_REASON}


def raising() -> dict[str, Any]:
    return {"epsilon_limit": "9", "confirmed": str(9 * NANO), **_REASON}


def sharing() -> dict[str, Any]:
    return dict(_REASON)


def two_shared_budgets(world: World) -> dict[str, Any]:
    """Another shared budget that could end in the first."""
    _opened(world.people["owner"], "Students")
    return {}


def merging() -> dict[str, Any]:
    return {"other": str(Budget.objects.get(label="Students").pk), **_REASON}


def with_a_member(world: World) -> dict[str, Any]:
    """The dataset has joined, and another one that stays when it leaves."""
    budget = Budget.objects.get(pk=world.own["shared_budget_id"])
    join_shared_budget(
        shared_budget=budget,
        dataset_budget=Dataset.objects.get(slug="visits").budget,
        actor=actor_of(world.people["owner"].user),
    )
    who_stays(world.people["owner"], budget)
    return {}


def dividing() -> dict[str, Any]:
    return {"datasets": [joining()["dataset"]], "name": "Apart", **_REASON}


def invited(world: World) -> dict[str, Any]:
    """The stranger's shared budget is offered, and the code is known here."""
    SharedBudgetInvitation.objects.create(
        tenant=world.people["stranger"].tenant,
        shared_budget_id=world.foreign["shared_budget_id"],
        code_hash=hashlib.sha256(_CODE.encode()).hexdigest(),
        expires_at=timezone.now() + timedelta(days=1),
    )
    return {}


def accepting() -> dict[str, Any]:
    return {"code": _CODE, "datasets": [joining()["dataset"]], **_REASON}
