"""M82: a derived dataset stands with its parents' people, and is in no sum a second time."""

import pytest

from dpgov.datasets.models import Dataset
from dpgov.explain.own_losses import own_losses
from dpgov.queries.asking.submit import submit
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership

pytestmark = pytest.mark.django_db


def test_what_is_asked_of_it_counts_once_for_these_people(
    owner: Membership, analyst: Membership, both: Dataset
) -> None:
    """M82: charged to both parents and to what they share; the total is what that says."""
    plan = {"dataset": both.slug, "statistics": [{"statistic": "count"}], "epsilon": 0.5}
    submit(membership=analyst, dataset=both, raw_plan=plan, idempotency_key="once")
    with acting_for(owner.tenant_id):
        (people,) = own_losses(owner)
    assert people.shared_budget is not None
    assert people.shared_budget.label == "people"
    assert [one.so_far for one in people.losses] == ["ε 0.5"] * 3
    assert both.name in {one.name for one in people.losses}
    assert people.so_far == "ε 0.5"
