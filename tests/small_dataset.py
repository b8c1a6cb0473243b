"""A small registered dataset with a real data file, for tests that need something to ask about."""

from dpgov.budgets.services import open_budget
from dpgov.datasets.models import Column, Dataset, DatasetVersion
from dpgov.privacy.budget import NANO
from dpgov.tenants.models import Membership


def register_small_dataset(owner: Membership, *, slug: str, limit_nano: int) -> Dataset:
    """200 rows with age and hours (numbers), sex and education (categories)."""
    budget = open_budget(tenant=owner.tenant, label=slug, limit_nano=limit_nano)
    dataset = Dataset.objects.create(
        tenant=owner.tenant,
        slug=slug,
        name=slug.title(),
        owner=owner.user,
        max_rows=1000,
        budget=budget,
        per_query_limit_nano=2 * NANO,
    )
    version = DatasetVersion.objects.create(dataset=dataset, number=1, fingerprint="0" * 64)
    for position, (name, upper) in enumerate([("age", "100"), ("hours", "80")]):
        Column.objects.create(
            version=version,
            position=position,
            name=name,
            kind=Column.Kind.NUMBER,
            lower="0",
            upper=upper,
            step="1",
        )
    lists = [("sex", ["Female", "Male"]), ("education", ["Primary", "Secondary", "Tertiary"])]
    for position, (name, categories) in enumerate(lists, start=2):
        Column.objects.create(
            version=version,
            position=position,
            name=name,
            kind=Column.Kind.CATEGORY,
            categories=categories,
        )
    return dataset
