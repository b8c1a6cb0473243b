"""M44: a process that dies at any statement leaves a place with its hold, an opening of all, a
whole share, or nothing of it; and whoever comes next goes on.
"""

from collections.abc import Callable

import pytest

from dpgov.budgets.models import Reservation
from dpgov.budgets.services import freeze_tenant
from dpgov.joint.models import JointQuestion, Party, Share
from dpgov.joint.services import answer_for, joint_round
from dpgov.queries.models import Query
from tests.integration.children import Death, run
from tests.integration.joint.made import (
    Side,
    all_joined,
    approved,
    asked,
    finished,
    joined,
    look,
    proposed,
    query_of,
    three,
)
from tests.integration.queries.answering.unnoticed import freeze_unnoticed

_MOST = 120


def _die_everywhere(step: Callable[[], object], holds: Callable[[], bool]) -> None:
    """Run it anew until no death comes any more; `holds` is looked at after each."""
    for statement in range(1, _MOST):
        code = run(lambda: str(step()), Death(statement, after=False))
        assert holds()
        if code == 0:
            assert statement > 5
            return
        assert code == -9
    raise AssertionError("it never ended")


def _place_with_hold() -> bool:
    held = Reservation.objects.filter(state=Reservation.State.HELD).values("query_id")
    parties = Party.objects.filter(query__in=held).count()
    return parties == Party.objects.count() == held.count() == Query.objects.count()


def _all_opened_or_none() -> bool:
    opened = Query.objects.filter(opened_at__isnull=False).count()
    return opened == (3 if JointQuestion.objects.get().opened_at else 0)


@pytest.mark.django_db(transaction=True)
def test_every_step_is_whole_or_not_at_all() -> None:
    """M44: an approval, the opening for all, a share, the sealing; then the answer is there."""
    sides: list[Side] = three()
    question, code = proposed(sides[0])
    for one in sides[:2]:
        joined(one, question, code)
    request = asked(sides[2], question, code)
    _die_everywhere(lambda: approved(sides[2], request), _place_with_hold)
    look(sides)
    _die_everywhere(joint_round, _all_opened_or_none)
    sent: set[str] = set()

    def whole_shares() -> bool:
        sent.update(Share.objects.values_list("masked", flat=True))
        # Three numbers of eight bytes; what is there once is never drawn again.
        return all(len(text) == 48 for text in sent) and len(sent) == Share.objects.count() <= 1

    _die_everywhere(lambda: answer_for(sides[0].tenant.pk), whole_shares)
    look(sides)
    _die_everywhere(joint_round, lambda: True)
    finished(sides)
    assert {query_of(one, question).state for one in sides} == {Query.State.RELEASED}


@pytest.mark.django_db(transaction=True)
def test_a_party_frozen_in_the_moment_of_its_sealing_holds_up_no_other(
    sides: list[Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9, M44: the database keeps its part from being answered, and the round goes on."""
    question = all_joined(sides)
    look(sides), joint_round(), look(sides)
    freeze_tenant(tenant_id=sides[0].tenant.pk, reason="restored")
    freeze_unnoticed(monkeypatch)
    assert joint_round() == 2
    assert [query_of(one, question).state for one in sides] == ["running", "sealed", "sealed"]
