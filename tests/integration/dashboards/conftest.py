"""What the dashboards' tests share: a tenant in use and the paths of its pages."""

from collections.abc import Callable

import pytest
from django.urls import reverse

from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Project, ProjectMember, Role, Tenant
from tests.cast import Ask, join
from tests.made_once import made_once

MEAN = ({"statistic": "mean", "column": "age"},)
BY_SEX = ({"column": "sex", "categories": ["Female", "Male"]},)


@made_once
def colleague(tenant: Tenant) -> Membership:
    """A second analyst of the same tenant."""
    return join(tenant, Role.ANALYST, "carla")


@made_once
def project(analyst: Membership) -> Project:
    """Ageing, on which Anna works."""
    made = Project.objects.create(tenant=analyst.tenant, name="Ageing")
    ProjectMember.objects.create(tenant=analyst.tenant, project=made, user=analyst.user)
    return made


@made_once
def in_use(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, colleague: Membership
) -> list[Query]:
    """Four questions: two of Anna's and one of Carla's are answered, one of Carla's waits."""
    queries = [
        ask(analyst, epsilon=0.5),
        ask(analyst, statistics=MEAN, epsilon=0.25),
        ask(colleague, group_by=BY_SEX, epsilon=1),
    ]
    answer_all()
    return [*queries, ask(colleague, epsilon=0.125)]


@pytest.fixture
def paths(dataset: Dataset) -> dict[str, str]:
    """Every page of the dashboards, by name."""
    return {
        "home": reverse("dashboards:home"),
        "budget": reverse("dashboards:budget", args=[dataset.slug]),
        "history": reverse("dashboards:history"),
        "group_privacy": reverse("explain:group_privacy", args=[dataset.slug]),
    }
