"""M43: the database itself asks for an officer and a hold before an organisation takes part.

What could overspend: whoever has the application's password seats a question that nobody approved,
or that holds nothing, so that a total with its rows goes to the others and nobody pays.
"""

from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction

from dpgov.approvals.kinds import Effect
from dpgov.approvals.services import approve
from dpgov.budgets.charging import Parts, lines_of_query
from dpgov.budgets.services import reserve
from dpgov.joint import crossing
from dpgov.joint.models import JointQuestion, Party
from dpgov.queries.models import Query
from dpgov.tenants import codes
from dpgov.tenants.boundary import acting_for
from tests.integration.joint.made import PRICE, Side, asked, joined, proposed


def _by_hand(one: Side, like: Query) -> Query:
    """A row like that of a question that takes part, of which nobody holds anything."""
    like.pk, like.idempotency_key = uuid4(), "by hand"
    with acting_for(one.tenant.pk):
        like.save(force_insert=True)
    return like


def _seat(one: Side, question: JointQuestion, code: str, query: Query) -> None:
    with acting_for(one.tenant.pk), pytest.raises(DatabaseError), transaction.atomic():
        crossing.join(
            question_id=question.pk,
            code_hash=codes.hash_of(code) or "",
            party_id=uuid4(),
            query_id=query.pk,
            tenant_id=one.tenant.pk,
        )


def test_a_hold_without_an_officer_takes_no_place(sides: list[Side]) -> None:
    """M43: the approval of another joint question is none of this one."""
    first, its_code = proposed(sides[0])
    query = _by_hand(sides[1], joined(sides[1], first, its_code).query)
    lines = lines_of_query(
        dataset_budget_id=sides[1].dataset.budget_id,
        cost_nano=PRICE,
        parts=Parts(),
        allocation=None,
    )
    with acting_for(sides[1].tenant.pk):
        reserve(query_id=query.pk, tenant_id=sides[1].tenant.pk, lines=lines)
    _seat(sides[1], *proposed(sides[0]), query)
    assert Party.objects.count() == 1


def test_an_officer_without_a_hold_is_not_enough(sides: list[Side]) -> None:
    """M43: what was approved takes a place with a question that holds the price, and no other."""
    first, its_code = proposed(sides[0])
    query = _by_hand(sides[1], joined(sides[1], first, its_code).query)
    question, code = proposed(sides[0])
    request = asked(sides[1], question, code)
    with acting_for(sides[1].tenant.pk):
        approve(
            request_id=request.pk,
            decider=sides[1].officer,
            reason="fits",
            carry_out=lambda _: Effect({}),
        )
    _seat(sides[1], question, code, query)
    assert Party.objects.count() == 1
