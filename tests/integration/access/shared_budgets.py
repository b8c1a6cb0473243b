"""What the doors of shared budgets need before they are knocked at, and one good body of each."""

import hashlib
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from dpgov.budgets.models import Budget, PopulationInvitation
from dpgov.budgets.services.populations import join_population, open_population
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.budget import NANO
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of
from tests.integration.access.world import World

_CODE = "ABCD" * 6
_REASON = {"reason": "these are the same people"}


def population_of(owner: Membership) -> UUID:
    """A shared budget without members."""
    return _opened(owner, f"Residents of {owner.tenant.slug}").pk


def _opened(owner: Membership, name: str) -> Budget:
    return open_population(
        tenant=owner.tenant, name=name, limit_nano=5 * NANO, actor=actor_of(owner.user)
    )


def opening() -> dict[str, Any]:
    return {"name": "Commuters", "epsilon_limit": "4"}


def joining() -> dict[str, Any]:
    return {"dataset": str(Dataset.objects.get(slug="visits").budget_id)}


def lowering() -> dict[str, Any]:
    return {"epsilon_limit": "2", **_REASON}


def raising() -> dict[str, Any]:
    return {"epsilon_limit": "9", "confirmed": str(9 * NANO), **_REASON}


def sharing() -> dict[str, Any]:
    return dict(_REASON)


def two_populations(world: World) -> dict[str, Any]:
    """Another shared budget that could end in the first."""
    _opened(world.people["owner"], "Students")
    return {}


def merging() -> dict[str, Any]:
    return {"other": str(Budget.objects.get(label="Students").pk), **_REASON}


def with_a_member(world: World) -> dict[str, Any]:
    """The dataset has joined."""
    join_population(
        population=Budget.objects.get(pk=world.own["population_id"]),
        dataset_budget=Dataset.objects.get(slug="visits").budget,
        actor=actor_of(world.people["owner"].user),
    )
    return {}


def dividing() -> dict[str, Any]:
    return {"datasets": [joining()["dataset"]], "name": "Apart", **_REASON}


def invited(world: World) -> dict[str, Any]:
    """The stranger's shared budget is offered, and the code is known here."""
    PopulationInvitation.objects.create(
        tenant=world.people["stranger"].tenant,
        population_id=world.foreign["population_id"],
        code_hash=hashlib.sha256(_CODE.encode()).hexdigest(),
        expires_at=timezone.now() + timedelta(days=1),
    )
    return {}


def accepting() -> dict[str, Any]:
    return {"code": _CODE, "datasets": [joining()["dataset"]], **_REASON}
