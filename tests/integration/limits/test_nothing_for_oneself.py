"""An owner who is an analyst too: what another owner has to decide is not offered to them."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.budgets.services import allocate
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership, Project, ProjectMember, Role
from dpgov.tenants.selectors import actor_of
from tests.agreed import join_in_two_roles
from tests.cast import join
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


@made_once
def both(owner: Membership) -> Membership:
    """Who registered "visits" below, and asks about it."""
    return join_in_two_roles(owner.tenant, Role.OWNER, "beate")


@made_once
def dataset(both: Membership) -> Dataset:
    """Their own."""
    return register_small_dataset(both, name="Visits")


@made_once
def projects(both: Membership) -> tuple[Project, Project]:
    """One on which they work, and another one."""
    study, other = (
        Project.objects.create(tenant=both.tenant, name=name) for name in ("Study", "Other")
    )
    ProjectMember.objects.create(tenant=both.tenant, project=study, user=both.user)
    return study, other


def test_allocations_that_they_would_use_are_not_theirs_to_change_or_grant(
    both: Membership, owner: Membership, dataset: Dataset, projects: tuple[Project, Project],
    client_for: ClientFor,
) -> None:  # fmt: skip
    """L39"""
    holders = (both.user, *projects)
    given = [
        allocate(
            dataset_budget=dataset.budget,
            holder=holder,
            limit_nano=NANO,
            actor=actor_of(owner.user),
            reason="a study",
        )
        for holder in holders
    ]
    limits = client_for(both).get(reverse("limits:limits", args=[dataset.slug])).text
    changes = [reverse("limits:allocation_change", args=[dataset.slug, g.pk]) for g in given]
    assert [change in limits for change in changes] == [False, False, True]
    assert limits.count("Another data owner decides this.") == 2
    new = client_for(both).get(reverse("limits:allocation_new", args=[dataset.slug])).text
    assert [f'value="{one.pk}"' in new for one in holders] == [False, False, True]
    assert "Only you could use one" not in new


def test_where_they_alone_could_have_an_allocation_the_page_says_who_decides(
    both: Membership, owner: Membership, dataset: Dataset, client_for: ClientFor
) -> None:
    """L39"""
    address = reverse("limits:allocation_new", args=[dataset.slug])
    assert "Only you could use one here" in client_for(both).get(address).text
    assert "Only you could use one here" not in client_for(owner).get(address).text


def test_a_permit_is_offered_for_others_alone(
    both: Membership, dataset: Dataset, client_for: ClientFor
) -> None:
    """L39"""
    other = join(both.tenant, Role.ANALYST, "adam")
    page = client_for(both).get(reverse("datasets:policy", args=[dataset.slug])).text
    assert f'<option value="{other.pk}"' in page
    assert f'<option value="{both.pk}"' not in page


def test_a_project_on_which_they_work_is_ended_and_left_by_others_hands(
    both: Membership, owner: Membership, projects: tuple[Project, Project], client_for: ClientFor
) -> None:
    """L39: nor do they add themselves to another one."""
    study, other = projects
    end, remove = (
        reverse("tenants:project_end", args=[study.pk]),
        reverse("tenants:project_remove", args=[study.pk, both.pk]),
    )
    mine = client_for(both).get(reverse("tenants:project", args=[study.pk])).text
    assert "another data owner can end it" in mine
    assert [end in mine, remove in mine] == [False, False]
    colleague = client_for(owner).get(reverse("tenants:project", args=[study.pk])).text
    assert [end in colleague, remove in colleague] == [True, True]
    theirs = client_for(both).get(reverse("tenants:project", args=[other.pk])).text
    assert reverse("tenants:project_end", args=[other.pk]) in theirs
    assert f'<option value="{owner.pk}"' in theirs
    assert f'<option value="{both.pk}"' not in theirs
