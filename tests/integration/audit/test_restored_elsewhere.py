"""A9: a database that moved freezes everybody once for each move, whoever makes difficulties.

What could leak: the answers given where the database was before, given once more by the copy.
"""

from typing import Any

import pytest

from dpgov.budgets.models import Budget, DatabaseMark
from dpgov.budgets.services import freezing
from dpgov.budgets.services.freezing import moved
from dpgov.budgets.services.restored import MOVED, NotAllFrozen, freeze_if_restored
from dpgov.datasets.models import Dataset
from tests.integration.audit.worlds import World, cannot_be_frozen

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def move_to(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts the database into another place; it is at home in the one called home."""
    DatabaseMark.objects.update_or_create(pk=1, defaults={"identity": "home"})

    def move(place: str) -> None:
        monkeypatch.setattr(freezing, "identity", lambda: place)

    return move


def test_whoever_cannot_be_frozen_after_a_move_undoes_nobody_s_confirmation(
    world: World, foreign_dataset: Dataset, move_to: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9, B2: it is not at home before that one is frozen, too, and nobody is frozen twice."""
    move_to("elsewhere")
    with monkeypatch.context() as patch:
        cannot_be_frozen(foreign_dataset, patch)
        with pytest.raises(NotAllFrozen):
            freeze_if_restored()
        assert world.is_frozen()
        world.confirm()
        for _ in range(5):
            with pytest.raises(NotAllFrozen):
                freeze_if_restored()
    assert (world.times_frozen(), world.is_frozen(), moved()) == (1, False, True)
    (frozen,) = freeze_if_restored()
    assert (frozen.tenant.id, frozen.reason) == (foreign_dataset.tenant_id, MOVED)
    assert Budget.objects.get(pk=foreign_dataset.budget_id).frozen_at is not None
    assert (world.times_frozen(), world.is_frozen(), moved()) == (2, False, False)
    assert freeze_if_restored() == []


def test_every_move_freezes_everybody_there_and_back_and_there_again(
    world: World, foreign_dataset: Dataset, move_to: Any
) -> None:
    """A9: what was confirmed in a place before says nothing of what was answered since."""
    for place in ("elsewhere", "home", "elsewhere", "home"):
        move_to(place)
        assert len(freeze_if_restored()) == 2
        assert world.is_frozen()
        world.confirm()
        assert freeze_if_restored() == []
        assert not world.is_frozen()
