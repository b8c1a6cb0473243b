"""A9: what a tenant was frozen for once excuses no later restore, whatever sizes are compared.

What could leak: the answers of the log that went on after the first restore, once more, for a
budget that does not know of them.
"""

import pytest
from django.db import transaction

from dpgov.audit.outside import folder_of, newest_outside, outside_files, put
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.models import Budget
from dpgov.budgets.services.restored import behind, freeze_if_restored
from dpgov.language.said import from_values
from tests.integration.audit.worlds import Restored, World

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_second_restore_is_noticed_while_the_log_is_shorter_than_the_one_lost_first(
    world: World,
) -> None:
    """A9: nothing is asked again, and no evidence is put aside before an officer has spoken."""
    first = world.lose(9)
    assert len(freeze_if_restored()) == 1
    world.confirm()
    assert freeze_if_restored() == []
    world.sign()
    second = world.lose(2)
    assert second < first
    assert len(freeze_if_restored()) == 1
    assert world.is_frozen()
    with pytest.raises(BudgetFrozen):
        world.ask()
    assert newest_outside(world.tenant_id) == second
    world.confirm()
    assert freeze_if_restored() == []
    assert not world.is_frozen()
    world.sign()


def test_a_backup_from_between_the_confirmation_and_the_next_round_is_noticed_too(
    world: World,
) -> None:
    """A9: in it everything is confirmed and nothing is tidied."""
    world.lose(9)
    freeze_if_restored()
    world.confirm()
    with pytest.raises(Restored), transaction.atomic():
        assert freeze_if_restored() == []
        world.ask()
        world.sign()
        raise Restored
    assert len(freeze_if_restored()) == 1
    assert world.is_frozen()


def test_a_backup_that_is_itself_frozen_is_frozen_for_what_it_lacks_besides(world: World) -> None:
    """A9: the officer learns that there is another checkpoint to compare with."""
    world.lose(9)
    freeze_if_restored()
    with pytest.raises(Restored), transaction.atomic():
        world.confirm()
        assert freeze_if_restored() == []
        world.ask()
        world.sign()
        raise Restored
    assert [found.budgets for found in freeze_if_restored()] == [0]
    assert world.times_frozen() == 2
    assert freeze_if_restored() == []


def test_the_same_backup_is_noticed_as_often_as_it_is_restored(world: World) -> None:
    """A9: it remembers nothing of the restore before."""
    lost = world.lose(3)
    for _ in range(2):
        with pytest.raises(Restored), transaction.atomic():
            assert len(freeze_if_restored()) == 1
            world.confirm()
            raise Restored
        assert newest_outside(world.tenant_id) == lost
    assert len(freeze_if_restored()) == 1


def test_a_longer_log_that_is_put_in_the_place_of_a_shorter_one_is_noticed(world: World) -> None:
    """A9: its own checkpoints cover more, and the one outside is none of them."""
    with pytest.raises(Restored), transaction.atomic():
        world.ask()
        lost = world.sign_here()
        raise Restored
    world.ask(4)
    world.sign_here()
    put(world.tenant_id, lost)
    assert len(freeze_if_restored()) == 1
    kept = from_values(Budget.objects.get(pk=world.dataset.budget_id).frozen_reason)
    size = newest_outside(world.tenant_id) or 0
    assert (kept, "does not know it" in kept) == (behind(size, size + 3), True)
    world.confirm()
    assert freeze_if_restored() == []
    world.ask()
    world.sign_here()


def test_a_round_that_breaks_off_while_it_tidies_freezes_nothing_twice(world: World) -> None:
    """A9: the checkpoint that was confirmed goes last, so the next round knows where it was."""
    world.lose(3)
    freeze_if_restored()
    world.confirm()
    newest = outside_files(world.tenant_id)[-1]
    in_the_way = folder_of(world.tenant_id) / "set-aside" / newest.name
    in_the_way.mkdir(parents=True)
    assert freeze_if_restored() == []
    assert [path.name for path in outside_files(world.tenant_id)][1:] == [newest.name]
    in_the_way.rmdir()
    assert freeze_if_restored() == []
    assert not newest.exists()
    assert (world.times_frozen(), world.is_frozen()) == (1, False)
