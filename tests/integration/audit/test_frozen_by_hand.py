"""A9: a freeze by hand that breaks off is brought to its end by the sweeper's rounds.

What could leak: the answers of whoever could not be frozen, while everybody believes that they are.
"""

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.outside import put
from dpgov.budgets.models import Budget, DatabaseMark
from dpgov.budgets.services import confirm_budget, freezing
from dpgov.budgets.services.freezing import moved
from dpgov.budgets.services.restored import (
    BY_HAND,
    MOVED,
    NotAllFrozen,
    freeze_everything,
    freeze_if_restored,
)
from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Role, Tenant
from dpgov.tenants.selectors import actor_of
from tests.cast import join
from tests.integration.audit.worlds import World, cannot_be_frozen
from tests.integration.meeting import conflict
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db(transaction=True)


@made_once
def last(world: World) -> Dataset:
    """Of the organisation that comes last."""
    return another("zz")


def another(slug: str) -> Dataset:
    """Of an organisation that is new."""
    owner = join(Tenant.objects.create(slug=slug, name=slug), Role.OWNER, f"owner-{slug}")
    return register_small_dataset(owner, name=f"Data of {slug}")


def frozen_now() -> list[tuple[Any, str]]:
    return [(frozen.tenant.slug, frozen.reason) for frozen in freeze_if_restored()]


def freeze_but(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand, everybody except for whoever owns this dataset."""
    with monkeypatch.context() as patch:
        cannot_be_frozen(dataset, patch)
        with pytest.raises(NotAllFrozen):
            freeze_everything(reason="by hand")


def is_frozen(dataset: Dataset) -> bool:
    return Budget.objects.get(pk=dataset.budget_id).frozen_at is not None


def confirm(dataset: Dataset, world: World) -> None:
    confirm_budget(
        budget=Budget.objects.get(pk=dataset.budget_id),
        actor=actor_of(world.officer.user),
        reason="nothing is missing",
    )


def sign(dataset: Dataset) -> None:
    made = make_checkpoint(tenant_id=dataset.tenant_id)
    assert made
    put(dataset.tenant_id, made.note)


def rounds_freeze_nobody(but: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three of them, while this one cannot be frozen."""
    with monkeypatch.context() as patch:
        cannot_be_frozen(but, patch)
        for _ in range(3):
            assert freeze_if_restored() == []


def test_the_command_freezes_whom_it_can_and_names_the_others(
    world: World, foreign_dataset: Dataset, last: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: loudly, after everybody was tried."""
    with monkeypatch.context() as patch:
        cannot_be_frozen(foreign_dataset, patch)
        with pytest.raises(CommandError, match="not frozen: elsewhere"):
            call_command("freeze", reason="by hand")
    assert (is_frozen(foreign_dataset), is_frozen(last), world.is_frozen()) == (False, True, True)


def test_a_step_that_the_database_ended_for_another_s_sake_stops_no_freeze(
    world: World, foreign_dataset: Dataset, last: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9, M100: of two that wait for each other; it is no outage, and the others are frozen."""
    with monkeypatch.context() as patch:
        cannot_be_frozen(foreign_dataset, patch, conflict())
        with pytest.raises(NotAllFrozen):
            freeze_everything(reason="by hand")
    assert (is_frozen(foreign_dataset), is_frozen(last), world.is_frozen()) == (False, True, True)


def test_a_freeze_by_hand_ends_no_trying_again_that_rounds_began(
    world: World, last: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: whoever it left out, too, is tried in every round until they are frozen."""
    world.lose(3)
    with monkeypatch.context() as patch:
        cannot_be_frozen(last, patch)
        assert len(freeze_if_restored()) == 1
    freeze_but(last, monkeypatch)
    world.confirm()
    assert frozen_now() == [("zz", BY_HAND)]
    assert (is_frozen(last), world.is_frozen()) == (True, False)
    assert freeze_if_restored() == []


def test_where_no_checkpoint_is_left_rounds_bring_it_to_its_end(
    world: World, foreign_dataset: Dataset, last: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: nothing outside tells of the restore, which is what the command is for."""
    freeze_but(last, monkeypatch)
    world.confirm()
    confirm(foreign_dataset, world)
    rounds_freeze_nobody(last, monkeypatch)
    assert frozen_now() == [("zz", BY_HAND)]
    assert (world.is_frozen(), is_frozen(foreign_dataset)) == (False, False)
    confirm(last, world)
    assert freeze_if_restored() == []


def test_the_only_organisation_is_tried_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: that nobody at all was frozen is not forgotten."""
    freeze_but(world.dataset, monkeypatch)
    assert frozen_now() == [("harbour", BY_HAND)]
    world.confirm()
    assert freeze_if_restored() == []


def test_the_only_organisation_is_frozen_once(world: World) -> None:
    """A9: for what its folder shows and by hand, and no more after it is confirmed."""
    world.lose(3)
    assert len(freeze_everything(reason="by hand")) == 1
    assert freeze_if_restored() == []
    world.confirm()
    assert freeze_if_restored() == []
    assert (world.times_frozen(), world.is_frozen()) == (1, False)


def test_a_crash_before_anybody_is_frozen_is_mended_by_the_next_round(
    world: World, foreign_dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9, B2"""

    def crash(**_: Any) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("dpgov.budgets.services.restored.freeze_tenant", crash)
        freeze_everything(reason="by hand")
    assert frozen_now() == [("elsewhere", BY_HAND), ("harbour", BY_HAND)]
    assert freeze_if_restored() == []


def test_rounds_undo_no_confirmation_where_everybody_has_checkpoints(
    world: World, foreign_dataset: Dataset, last: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: each was frozen for all that the others' folders showed, known or not."""
    world.lose(3)
    for dataset in (foreign_dataset, last):
        sign(dataset)
    freeze_but(last, monkeypatch)
    world.confirm()
    confirm(foreign_dataset, world)
    rounds_freeze_nobody(last, monkeypatch)
    assert frozen_now() == [("zz", BY_HAND)]
    assert (world.is_frozen(), is_frozen(foreign_dataset), is_frozen(last)) == (False, False, True)
    confirm(last, world)
    assert freeze_if_restored() == []


def test_a_restore_is_noticed_while_a_freeze_by_hand_is_not_over(
    world: World, foreign_dataset: Dataset, last: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: what is left to do excuses nobody from what is new."""
    freeze_but(last, monkeypatch)
    world.confirm()
    confirm(foreign_dataset, world)
    world.sign()
    world.lose(2)
    with monkeypatch.context() as patch:
        cannot_be_frozen(last, patch)
        assert len(freeze_if_restored()) == 2
    assert (world.is_frozen(), is_frozen(foreign_dataset)) == (True, True)
    assert frozen_now() == [("zz", BY_HAND)]
    assert freeze_if_restored() == []


def test_in_a_database_that_moved_rounds_freeze_the_rest_and_nobody_else(
    world: World, last: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: whoever was frozen by hand was frozen for the move."""
    DatabaseMark.objects.update_or_create(pk=1, defaults={"identity": "home"})
    monkeypatch.setattr(freezing, "identity", lambda: "elsewhere")
    freeze_but(last, monkeypatch)
    world.confirm()
    assert frozen_now() == [("zz", MOVED)]
    assert (moved(), world.is_frozen()) == (False, False)
    assert freeze_if_restored() == []


def test_a_second_one_freezes_everybody_once_more_and_is_brought_to_its_end_by_itself(
    world: World, last: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: a backup may have been restored since; who was frozen by the first is not by this one."""
    freeze_but(world.dataset, monkeypatch)
    confirm(last, world)
    freeze_but(last, monkeypatch)
    assert (world.is_frozen(), is_frozen(last)) == (True, False)
    assert frozen_now() == [("zz", BY_HAND)]
    world.confirm()
    assert len(freeze_everything(reason="again")) == 2
    assert (world.is_frozen(), freeze_if_restored()) == (True, [])


def test_what_is_over_concerns_no_organisation_that_is_new(
    world: World, last: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: whoever joins after it lacks nothing, whether rounds or the command brought it there."""
    freeze_but(last, monkeypatch)
    assert len(freeze_if_restored()) == 1
    fresh = another("first")
    assert (freeze_if_restored(), is_frozen(fresh)) == ([], False)
    freeze_everything(reason="again")
    fresh = another("second")
    assert (freeze_if_restored(), is_frozen(fresh)) == ([], False)


def test_the_end_of_one_ends_no_other_that_was_begun_since(
    world: World, last: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9, B2: an operator who gives the command while a round does the rest of the one before."""
    freeze_but(last, monkeypatch)
    really = freezing.settle_in

    def late(freeze: str) -> None:
        freeze_but(last, monkeypatch)
        really(freeze)

    with monkeypatch.context() as patch:
        patch.setattr("dpgov.budgets.services.restored.settle_in", late)
        freeze_if_restored()
    confirm(last, world)
    assert frozen_now() == [("zz", BY_HAND)]
