"""L29: what was given back counts in no quota."""

import pytest

from dpgov.datasets.models import Dataset
from dpgov.queries.asking.ready_made import QuotaUsedUp, offered_to
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import answer_now
from tests.integration.budgets.test_refunds import approved_refund, spoil
from tests.integration.queries.ready_made.published import ask, published

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_quota_has_back_what_was_refunded(
    owner: Membership, officer: Membership, analyst: Membership, dataset: Dataset
) -> None:
    """L29: it was charged, its data was never read, and two persons gave it back."""
    made = published(owner, dataset, per_analyst=1, altogether=1)
    query = ask(analyst, made)
    spoil(dataset)
    answer_now(query.pk)
    with pytest.raises(QuotaUsedUp):
        ask(analyst, made)
    approved_refund(Query.objects.get(), owner, officer)
    (offered,) = offered_to(analyst.user, dataset)
    assert (offered.left_for_me, offered.left_for_all) == (1, 1)
    assert ask(analyst, made).pk != query.pk
