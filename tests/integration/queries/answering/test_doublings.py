"""L4: what a doubling of a question's class costs, whatever was decided since it was asked."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import own_rules_of
from dpgov.datasets.services import change_policy
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.answering.publishing import publish_due
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import answer_query

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_doubling_is_not_paid_by_a_least_price_that_came_after_the_question(
    analyst: Membership, owner: Membership, dataset: Dataset, ask: Callable[..., Query]
) -> None:
    """L4: it costs no more than the question did when it was accepted."""
    query = ask(analyst, epsilon=0.01)
    assert answer_query(query.pk)
    Query.objects.filter(pk=query.pk).update(doublings_owed=2)
    rules = replace(own_rules_of(dataset), least_nano=2 * NANO)
    change_policy(dataset=dataset, rules=rules, user=owner.user)
    assert publish_due(timezone.now() + timedelta(days=400)) == 1
    query.refresh_from_db()
    assert (query.cost_nano, query.doublings) == (3 * NANO // 100, 2)
