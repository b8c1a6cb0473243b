"""People and datasets to measure with, made through the services."""

import os
from dataclasses import dataclass

from dpgov.datasets.models import Dataset
from dpgov.privacy.budget import NANO
from dpgov.tenants.models import Membership, Role, Tenant, User
from tests.small_dataset import register_small_dataset

COST_NANO = 100_000
_LIMIT_NANO = 1_000 * NANO


@dataclass(frozen=True, slots=True)
class Cast:
    """One tenant with one person of each role, and its datasets."""

    people: dict[str, Membership]
    datasets: list[Dataset]

    @property
    def tenant(self) -> Tenant:
        """Whose everything is."""
        return self.people["owner"].tenant

    @property
    def analyst(self) -> Membership:
        """Who asks."""
        return self.people["analyst"]


def make_cast(name: str, *, datasets: int) -> Cast:
    """A new tenant; its datasets are small, and their budgets last for any measurement."""
    os.makedirs(os.environ["DPGOV_HOME"], exist_ok=True)
    tenant = Tenant.objects.create(slug=name, name=name.title())
    people = {role.value: _person(tenant, role) for role in Role}
    made = [
        register_small_dataset(people["owner"], name=f"{name} {number}", limit_nano=_LIMIT_NANO)
        for number in range(datasets)
    ]
    return Cast(people, made)


def _person(tenant: Tenant, role: Role) -> Membership:
    user = User.objects.create_user(f"{role.value}@{tenant.slug}.example.org", name=role.label)
    return Membership.objects.create(tenant=tenant, user=user, role=role)
