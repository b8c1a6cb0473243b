"""M42: one total for all, a charge on each ledger, a receipt for each; nothing of one party alone.

What could leak: a party's share before or without the others, two shares of one party, a second
draw of its noise, a moment that follows a worker's; to the other parties and to whoever reads the
database. What could overspend: an opening without everybody's hold, or a release without a charge.
"""

import json

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.services import freeze_tenant
from dpgov.datasets.models import Dataset
from dpgov.joint import crossing
from dpgov.joint.models import JointQuestion, Party, Share
from dpgov.joint.services import answer_for, joint_round
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.privacy.joint.masks import from_bytes
from dpgov.queries.models import Query, Release
from dpgov.tenants.boundary import acting_for
from tests.cast import answer_query, publish_now
from tests.integration.joint.made import (
    PRICE,
    Side,
    all_joined,
    finished,
    joined,
    look,
    proposed,
    query_of,
    three,
    true_counts,
)


def _bodies(sides: list[Side], question: JointQuestion) -> list[dict[str, object]]:
    return [json.loads(Release.objects.get(query=query_of(one, question)).body) for one in sides]


def test_three_organisations_get_one_total_and_are_charged_once_each(sides: list[Side]) -> None:
    """M42: the same noisy numbers near the true ones, a price on each budget, entries in logs."""
    question = all_joined(sides)
    assert [one.spent for one in sides] == [(0, PRICE)] * 3
    finished(sides)
    bodies = _bodies(sides, question)
    totals = [body["draws"][0]["cells"] for body in bodies]  # type: ignore[index]
    assert totals[0] == totals[1] == totals[2]
    assert len({body["joint"]["total_sha256"] for body in bodies}) == 1  # type: ignore[index]
    # σ is 3.9: forty of them are never passed.
    for number, true in zip(totals[0], true_counts(), strict=True):
        assert abs(number[0] - true) < 160
    assert [one.spent for one in sides] == [(PRICE, 0)] * 3
    for one in sides:
        with acting_for(one.tenant.pk):
            assert reconcile(one.tenant).findings == ()
        told = AuditEntry.objects.filter(tenant_id=one.tenant.pk)
        assert told.filter(action=Action.QUERY_RELEASED).count() == 1


def test_no_other_worker_takes_it_and_no_free_answer_is_made_of_it(sides: list[Side]) -> None:
    """M42: it is about other people, too; an ordinary worker would answer it for one alone."""
    question = all_joined(sides)
    assert not any(answer_query(query_of(one, question).pk) for one in sides)
    finished(sides)
    for one in sides:
        assert query_of(one, question).state == Query.State.RELEASED
        assert query_of(one, question).canonical_sha256 == ""


def test_a_retry_sends_the_same_bytes(sides: list[Side]) -> None:
    """M42: noise is drawn once for what is sent; shares of a party are never two, nor changed."""
    question = all_joined(sides)
    look(sides), joint_round()
    assert answer_for(sides[0].tenant.pk) == 1
    first = Share.objects.get().masked
    assert answer_for(sides[0].tenant.pk) == 0
    assert Share.objects.get().masked == first
    with pytest.raises(DatabaseError), transaction.atomic():
        Share.objects.update(masked="00")
    assert all(number > 2**32 for number in from_bytes(bytes.fromhex(first)))
    with acting_for(sides[1].tenant.pk):
        assert list(crossing.shares_of(question.pk)) == []


def test_nothing_opens_until_everybody_is_there(sides: list[Side]) -> None:
    """M42: a place that is not taken, or an organisation whose worker never looked."""
    question, code = proposed(sides[0])
    for one in sides[:2]:
        joined(one, question, code)
    look(sides), joint_round()
    assert JointQuestion.objects.get().opened_at is None
    joined(sides[2], question, code)
    look(sides[:2]), joint_round()
    assert JointQuestion.objects.get().opened_at is None
    assert look(sides) == 1
    joint_round()
    assert JointQuestion.objects.get().opened_at is not None


def test_a_share_before_the_opening_is_refused_by_the_database(sides: list[Side]) -> None:
    """M42: plain SQL, or a worker that does not wait."""
    question = all_joined(sides)
    party = Party.objects.get(question=question, tenant=sides[0].tenant)
    with pytest.raises(DatabaseError), transaction.atomic():
        Share.objects.create(party=party, tenant=sides[0].tenant, masked="00")


@pytest.mark.parametrize("stop", ["paused", "frozen"])
def test_a_stopped_dataset_is_not_opened_for_it(sides: list[Side], stop: str) -> None:
    """M42: a pause or a freeze that comes after everybody agreed."""
    question, stopped = all_joined(sides), sides[1]
    look(sides)
    if stop == "paused":
        Dataset.objects.filter(pk=stopped.dataset.pk).update(paused_at=timezone.now())
    else:
        with acting_for(stopped.tenant.pk):
            freeze_tenant(tenant_id=stopped.tenant.pk, reason="restored", actor=OPERATOR)
    joint_round()
    question.refresh_from_db()
    assert question.opened_at is None


def test_all_answers_appear_at_one_moment_that_no_worker_decides(sides: list[Side]) -> None:
    """M42: due by the opening, however long a worker took."""
    question = all_joined(sides)
    look(sides), joint_round(), look(sides[:2]), joint_round()
    assert {query_of(one, question).state for one in sides} == {Query.State.RUNNING}
    look(sides), joint_round()
    due = {query_of(one, question).due_at for one in sides}
    assert len(due) == 1
    question.refresh_from_db()
    moment = due.pop()
    assert moment is not None
    assert question.opened_at is not None
    assert moment > question.opened_at
    publish_now()


def test_two_rounds_at_once_end_it_once(sides: list[Side]) -> None:
    question = all_joined(sides)
    finished(sides)
    assert joint_round() == 0
    assert Release.objects.filter(query=query_of(sides[0], question)).count() == 1
    assert Share.objects.count() == 3


def test_sums_count_in_steps_of_the_column(db: None) -> None:
    """M42: a sum without groups, on the column's lattice."""
    sides = three()
    question = all_joined(
        sides, {"statistics": [{"statistic": "sum", "column": "age"}], "rho": 0.4}
    )
    finished(sides)
    body = _bodies(sides, question)[0]
    value = body["statistics"][0]["cells"][0]["value"]  # type: ignore[index]
    assert value == body["draws"][0]["cells"][0][0]  # type: ignore[index]
