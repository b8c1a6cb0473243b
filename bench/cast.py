"""People and datasets to measure with, made through the services."""

import os
from dataclasses import dataclass
from pathlib import Path

from dpgov.budgets.services import open_budget
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership, Role, Tenant, User
from tests.small_dataset import register_small_dataset
from tests.triggers import without_triggers

COST_NANO = 1_000_000
_LIMIT_NANO = 1_000 * NANO


@dataclass(frozen=True, slots=True)
class Cast:
    """One tenant with one person of each role, and its datasets."""

    people: dict[str, Membership]
    datasets: list[Dataset]
    colleagues: tuple[Membership, ...] = ()

    @property
    def tenant(self) -> Tenant:
        """Whose everything is."""
        return self.people["owner"].tenant

    @property
    def analyst(self) -> Membership:
        """Who asks."""
        return self.people["analyst"]


def make_cast(name: str, *, datasets: int, colleagues: int = 9) -> Cast:
    """A new tenant; its datasets are small, and their budgets last for any measurement."""
    Path(os.environ["DPGOV_HOME"]).mkdir(exist_ok=True)
    tenant = Tenant.objects.create(slug=name, name=name.title())
    people = {role.value: _person(tenant, role, role.value) for role in Role}
    others = (_person(tenant, Role.ANALYST, f"colleague-{n}") for n in range(colleagues))
    made = [_dataset(people["owner"], f"{name} {number}") for number in range(datasets)]
    return Cast(people, made, tuple(others))


def _dataset(owner: Membership, name: str) -> Dataset:
    """With a budget of its own: the same invented rows would share one."""
    dataset = register_small_dataset(owner, name=name, limit_nano=_LIMIT_NANO)
    dataset.budget = open_budget(tenant=owner.tenant, label=name, limit_nano=_LIMIT_NANO)
    with without_triggers("datasets_dataset"):
        # Elsewhere two persons would have to agree to another budget.
        dataset.save(update_fields=["budget"])
    return dataset


def _person(tenant: Tenant, role: Role, name: str) -> Membership:
    user = User.objects.create_user(f"{name}@{tenant.slug}.example.org", name=name.title())
    return Membership.objects.create(tenant=tenant, user=user, role=role)
