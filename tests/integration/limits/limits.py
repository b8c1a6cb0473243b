"""What tests about limits share: an allocation, a partition, and a page as it is read."""

import re

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Allocation
from dpgov.budgets.services import allocate, open_parts
from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Project, User
from tests.declared import declare_otherwise


def said(html: str) -> str:
    """What a person reads, in one line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).replace("&nbsp;", " ")


def grant(dataset: Dataset, holder: User | Project, nano: int) -> Allocation:
    return allocate(
        dataset_budget=dataset.budget,
        holder=holder,
        limit_nano=nano,
        actor=OPERATOR,
        reason="study",
    )


def divide(dataset: Dataset) -> None:
    open_parts(budget=dataset.budget, parts=["Primary", "Secondary", "other"])
    declare_otherwise(Dataset.objects.filter(pk=dataset.pk), partition_column="education")
