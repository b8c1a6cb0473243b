"""M44: a process that dies at any statement leaves a place with its hold, an opening of all, a
whole share, or nothing of it; and whoever comes next goes on.
"""

from collections.abc import Callable

import pytest

from dpgov.budgets.models import Reservation
from dpgov.joint.models import JointQuestion, Party, Share
from dpgov.joint.services import answer_for, joint_round
from dpgov.queries.models import Query
from tests.integration.children import Death, run
from tests.integration.joint.made import (
    Side,
    approved,
    asked,
    finished,
    joined,
    look,
    proposed,
    query_of,
    three,
)

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
