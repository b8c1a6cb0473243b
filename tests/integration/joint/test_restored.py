"""A9: a restored database may be older than its last share: workers and openings wait in it.

What could leak: a second share of one party, with the mask of the first and noise of its own. Both
together tell whoever has both databases what two answers would, for the price of one.
"""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import F

from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.models import Budget, DatabaseMark
from dpgov.budgets.services import confirm_budget, freeze_tenant, freezing
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.services import engine_for
from dpgov.engines.base import Engine
from dpgov.joint.models import JointQuestion, Party, Share
from dpgov.joint.services import joint_round, leave
from dpgov.operation.clock import database_now
from dpgov.queries.answering.restored import end_what_waited
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.selectors import actor_of
from tests.integration.joint.made import PRICE, Side, all_joined, look, query_of


def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this were a copy of the database, in another place; nobody has noticed yet."""
    DatabaseMark.objects.update_or_create(pk=1, defaults={"identity": "where it was"})
    monkeypatch.setattr(freezing, "identity", lambda: "another server")
    connection.dpgov_at_home = None  # type: ignore[attr-defined]


def test_no_share_is_drawn_in_a_database_that_moved(
    sides: list[Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: it may have been sent in what the backup lacks; nothing is frozen by then."""
    all_joined(sides)
    look(sides), joint_round()
    _restored(monkeypatch)
    assert look(sides) == 0
    assert Share.objects.count() == 0


def test_nothing_is_opened_and_no_key_goes_out_in_a_database_that_moved(
    sides: list[Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: an opening charges everybody, by balances that may be too low."""
    question = all_joined(sides)
    look(sides[:2])
    _restored(monkeypatch)
    assert look(sides) == 0
    assert Party.objects.filter(public_key="").count() == 1
    Party.objects.filter(public_key="").update(public_key="ab" * 32)
    assert joint_round() == 0
    assert JointQuestion.objects.get(pk=question.pk).opened_at is None
    assert {query_of(one, question).state for one in sides} == {Query.State.RUNNING}


def test_what_one_party_holds_after_a_restore_is_charged_and_nobody_opens_it(
    sides: list[Side],
) -> None:
    """A9: the others' holds come back; its own may be charged in what the backup lacks."""
    question = all_joined(sides)
    alpha, beta, gamma = sides
    freeze_tenant(tenant_id=alpha.tenant.pk, reason="restored")
    with acting_for(alpha.tenant.pk), pytest.raises(BudgetFrozen):
        leave(membership=alpha.owner, party=_party(alpha, question))
    with acting_for(beta.tenant.pk):
        leave(membership=beta.owner, party=_party(beta, question))
    joint_round()
    assert [one.spent for one in sides] == [(0, PRICE), (0, 0), (0, 0)]
    with acting_for(alpha.tenant.pk), transaction.atomic():
        actor = actor_of(alpha.officer.user)
        assert end_what_waited(budget_id=alpha.dataset.budget_id, actor=actor) == 1
        confirm_budget(budget=alpha.dataset.budget, actor=actor, reason="compared")
    assert look(sides) == joint_round() == 0
    assert [one.spent for one in sides] == [(PRICE, 0), (0, 0), (0, 0)]
    assert query_of(gamma, question).state == Query.State.EXPIRED


def test_an_answer_that_was_complete_is_kept_by_no_party_that_is_frozen(sides: list[Side]) -> None:
    """A9: whose officer ends it ends it, however far it was."""
    question = all_joined(sides)
    alpha, beta, _ = sides
    look(sides), joint_round(), look(sides)
    assert Share.objects.count() == 3
    freeze_tenant(tenant_id=alpha.tenant.pk, reason="restored")
    assert joint_round() == 2
    assert [query_of(one, question).state for one in (alpha, beta)] == ["running", "sealed"]
    with acting_for(alpha.tenant.pk), transaction.atomic():
        actor = actor_of(alpha.officer.user)
        assert end_what_waited(budget_id=alpha.dataset.budget_id, actor=actor) == 1
        confirm_budget(budget=alpha.dataset.budget, actor=actor, reason="compared")
    assert joint_round() == 0
    assert query_of(alpha, question).state == Query.State.FAILED
    assert alpha.spent == (PRICE, 0)


@pytest.mark.parametrize("stop", ["frozen", "paused"])
def test_what_a_worker_draws_while_its_dataset_is_stopped_goes_out_to_nobody(
    sides: list[Side], monkeypatch: pytest.MonkeyPatch, stop: str
) -> None:
    """A9: a share may have gone out in what the backup lacks; the second has other noise."""
    first, second = all_joined(sides), all_joined(sides)
    alpha, *others = sides
    look(sides), joint_round()
    opened: list[DatasetVersion] = []

    def stopped_meanwhile(version: DatasetVersion) -> Engine:
        if not opened and stop == "frozen":
            freeze_tenant(tenant_id=alpha.tenant.pk, reason="restored")
        elif not opened:
            Dataset.objects.filter(pk=alpha.dataset.pk).update(paused_at=database_now())
        opened.append(version)
        return engine_for(version)

    with monkeypatch.context() as patch:
        patch.setattr("dpgov.joint.services.sharing.engine_for", stopped_meanwhile)
        assert look([alpha]) == 0
    assert len(opened) == 1, "the second question's data stays closed"
    look(others), joint_round()
    assert Share.objects.filter(tenant=alpha.tenant).count() == 0
    states = {query_of(one, question).state for one in sides for question in (first, second)}
    assert states == {Query.State.RUNNING}


def test_a_freeze_costs_an_opened_question_none_of_its_day(sides: list[Side]) -> None:
    """A9: officers said that it goes on; all organisations of a database are frozen together."""
    question = all_joined(sides)
    alpha, *others = sides
    look(sides), joint_round()
    for one in sides:
        freeze_tenant(tenant_id=one.tenant.pk, reason="restored")
    opened = F("opened_at") - timedelta(hours=25)
    JointQuestion.objects.filter(pk=question.pk).update(opened_at=opened)
    for one in others:
        _confirm(one)
    assert (look([alpha]), joint_round()) == (0, 0)
    assert {query_of(one, question).state for one in sides} == {Query.State.RUNNING}
    _confirm(alpha)
    assert look(sides) == 3
    assert joint_round() == 3
    assert {query_of(one, question).state for one in sides} == {Query.State.SEALED}


def _confirm(one: Side) -> None:
    with acting_for(one.tenant.pk):
        actor = actor_of(one.officer.user)
        budget = Budget.objects.get(pk=one.dataset.budget_id)
        confirm_budget(budget=budget, actor=actor, reason="compared")


def _party(by: Side, question: JointQuestion) -> Party:
    return Party.objects.get(tenant=by.tenant, question=question)
