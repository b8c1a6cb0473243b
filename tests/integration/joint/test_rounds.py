"""M100: of two steps that wait for each other one is ended, and only that one is left for later."""

import pytest
from django.db import DatabaseError, OperationalError

from dpgov.joint.models import Party
from dpgov.joint.services import joint_round, steps
from tests.integration.joint.made import Side, all_joined
from tests.integration.meeting import conflict

pytestmark = pytest.mark.django_db


def taken(problem: Exception, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many parties of a round went on, where the first one met this."""
    met: list[Party] = []

    def step(party: Party) -> bool:
        met.append(party)
        if len(met) == 1:
            raise problem
        return True

    monkeypatch.setattr(steps, "_step", step)
    return joint_round()


def test_a_step_that_the_database_ended_keeps_no_other_party_waiting(
    sides: list[Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    """M100: it was taken for a database that is away."""
    all_joined(sides)
    assert taken(conflict(), monkeypatch) == len(sides) - 1


@pytest.mark.parametrize("problem", [OperationalError(), DatabaseError()])
def test_what_the_database_refuses_otherwise_ends_the_round(
    problem: Exception, sides: list[Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    """That it is away, or that a step of ours is wrong, is seen."""
    all_joined(sides)
    with pytest.raises(DatabaseError):
        taken(problem, monkeypatch)
