"""A9: whom a restore concerns, and which files tell of it, where one look at the newest is too few.

What could leak: answers after the newest checkpoint that everybody knows, of whoever is not frozen.
"""

from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.keys.note import parse_checkpoint
from dpgov.audit.outside import newest_outside, outside_files, put
from dpgov.budgets.models import Budget
from dpgov.budgets.services import confirm_budget, freeze_tenant, open_budget
from dpgov.budgets.services.restored import FOR_ANOTHER, behind, freeze_if_restored
from dpgov.datasets.models import Dataset
from dpgov.language.said import from_values
from dpgov.privacy.accounting.loss import PURE
from dpgov.tenants.selectors import actor_of
from tests.integration.audit.worlds import Restored, World, cannot_be_frozen
from tests.made_once import made_once

pytestmark = pytest.mark.django_db(transaction=True)


@made_once
def another_budget(world: World) -> Budget:
    """One more that a restore freezes: of something that nobody uses any more."""
    return open_budget(
        tenant=world.dataset.tenant,
        label="Archived",
        limit_nano=10**9,
        currency=PURE,
        kind=Budget.Kind.DATASET,
        reason="registered",
        protects=world.dataset.budget.protects,
    )


def test_the_log_is_signed_on_from_the_first_confirmation_so_that_a_second_restore_is_noticed(
    world: World, another_budget: Budget
) -> None:
    """A9: what nobody confirms stays frozen for ever, and hides nothing."""
    world.lose(9)
    assert [found.budgets for found in freeze_if_restored()] == [2]
    assert freeze_if_restored() == []
    assert len(outside_files(world.tenant_id)) == 3, "no officer has spoken"
    world.confirm()
    assert freeze_if_restored() == []
    assert len(outside_files(world.tenant_id)) == 1
    world.ask()
    world.sign()
    world.lose(2)
    assert [found.budgets for found in freeze_if_restored()] == [1]
    assert world.is_frozen()
    another_budget.refresh_from_db()
    assert another_budget.frozen_at is not None


def test_an_unknown_checkpoint_is_noticed_below_one_that_is_known(world: World) -> None:
    """A9: that of a lost log, which came into the folder when the log that goes on was longer."""
    with pytest.raises(Restored), transaction.atomic():
        world.ask()
        lost = world.sign_here()
        raise Restored
    world.ask(4)
    world.sign()
    assert freeze_if_restored() == []
    put(world.tenant_id, lost)
    (found,) = freeze_if_restored()
    size = parse_checkpoint(lost).size
    assert found.reason == behind(size, newest_outside(world.tenant_id) or 0)
    assert freeze_if_restored() == []
    world.confirm()
    assert freeze_if_restored() == []
    assert (world.times_frozen(), world.is_frozen()) == (1, False)
    assert size not in {int(path.name[:12]) for path in outside_files(world.tenant_id)}


def test_a_round_reads_the_newest_checkpoint_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: years of checkpoints lie there, and rounds come every few seconds."""
    for _ in range(3):
        world.ask()
        world.sign()
    read, really = list[str](), Path.read_text

    def read_text(path: Path, *args: Any, **more: Any) -> str:
        read.append(path.name)
        return really(path, *args, **more)

    monkeypatch.setattr(Path, "read_text", read_text)
    freeze_if_restored()
    of_these = [name for name in read if name.endswith(".checkpoint")]
    assert of_these == [outside_files(world.tenant_id)[-1].name]


def test_a_restore_that_one_organisation_shows_freezes_all_of_them_once(
    world: World, foreign_dataset: Dataset
) -> None:
    """A9: they share the database; another one's last answers may be under no checkpoint yet."""
    world.lose(3)
    found = {frozen.tenant.id: frozen for frozen in freeze_if_restored()}
    other = found[foreign_dataset.tenant_id]
    assert set(found) == {world.tenant_id, foreign_dataset.tenant_id}
    assert (other.reason, other.budgets) == (FOR_ANOTHER, 1)
    assert freeze_if_restored() == []
    foreign = Budget.objects.get(pk=foreign_dataset.budget_id)
    assert from_values(foreign.frozen_reason) == FOR_ANOTHER
    _confirm(foreign_dataset, world)
    assert freeze_if_restored() == []
    world.confirm()
    assert freeze_if_restored() == []
    assert not Budget.objects.filter(frozen_at__isnull=False).exists()
    assert world.times_frozen() == 2, "one entry for each organisation"


def test_a_round_that_breaks_off_while_it_freezes_forgets_no_organisation(
    world: World, foreign_dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9, B2: who remembers the restore is frozen last."""
    world.lose(3)
    really = freeze_tenant

    def crash(**what: Any) -> int:
        if what["tenant_id"] == foreign_dataset.tenant_id:
            raise KeyboardInterrupt
        return really(**what)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("dpgov.budgets.services.restored.freeze_tenant", crash)
        freeze_if_restored()
    assert len(freeze_if_restored()) == 2
    assert not Budget.objects.filter(frozen_at__isnull=True).exists()


def test_whoever_could_not_be_frozen_is_frozen_by_the_next_round(
    world: World, foreign_dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9, B2: what is wrong with one alone ends no round; the others are frozen meanwhile."""
    world.lose(3)
    with monkeypatch.context() as patch:
        cannot_be_frozen(foreign_dataset, patch)
        (frozen,) = freeze_if_restored()
    assert (frozen.tenant.id, world.is_frozen()) == (world.tenant_id, True)
    (frozen,) = freeze_if_restored()
    assert (frozen.tenant.id, frozen.reason) == (foreign_dataset.tenant_id, FOR_ANOTHER)
    assert not Budget.objects.filter(frozen_at__isnull=True).exists()
    assert freeze_if_restored() == []


def test_whoever_cannot_be_frozen_undoes_nobody_s_confirmation(
    world: World, foreign_dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9, B2: the log goes on and is signed meanwhile, and the restore is not forgotten."""
    world.lose(3)
    with monkeypatch.context() as patch:
        cannot_be_frozen(foreign_dataset, patch)
        assert len(freeze_if_restored()) == 1
        world.confirm()
        for _ in range(5):
            assert freeze_if_restored() == []
    assert (world.times_frozen(), world.is_frozen()) == (1, False)
    world.ask()
    world.sign()
    (frozen,) = freeze_if_restored()
    assert (frozen.tenant.id, frozen.budgets) == (foreign_dataset.tenant_id, 1)
    assert (world.times_frozen(), world.is_frozen()) == (2, False)
    assert freeze_if_restored() == []


def test_the_one_that_shows_the_restore_is_tried_again_without_the_others(
    world: World, foreign_dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9, B2: what the others' officers confirm meanwhile stays confirmed."""
    world.lose(3)
    with monkeypatch.context() as patch:
        cannot_be_frozen(world.dataset, patch)
        (frozen,) = freeze_if_restored()
        assert frozen.tenant.id == foreign_dataset.tenant_id
        _confirm(foreign_dataset, world)
        for _ in range(5):
            assert freeze_if_restored() == []
    (frozen,) = freeze_if_restored()
    assert (frozen.tenant.id, world.is_frozen()) == (world.tenant_id, True)
    assert Budget.objects.get(pk=foreign_dataset.budget_id).frozen_at is None
    assert (world.times_frozen(), freeze_if_restored()) == (2, [])


def test_a_second_restore_freezes_all_while_one_cannot_be_frozen_for_the_first(
    world: World, foreign_dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: what is remembered of the first excuses nobody from the second."""
    world.lose(9)
    with monkeypatch.context() as patch:
        cannot_be_frozen(foreign_dataset, patch)
        assert len(freeze_if_restored()) == 1
        world.confirm()
        assert freeze_if_restored() == []
        world.sign()
        world.lose(2)
        assert len(freeze_if_restored()) == 1
    assert (world.times_frozen(), world.is_frozen()) == (2, True)
    assert len(freeze_if_restored()) == 1
    _confirm(foreign_dataset, world)
    assert freeze_if_restored() == []
    world.confirm()
    assert freeze_if_restored() == []
    world.sign()
    world.lose(2)
    assert len(freeze_if_restored()) == 2


def test_a_checkpoint_that_is_seen_later_freezes_all_once_more(
    world: World, foreign_dataset: Dataset, own_note: str
) -> None:
    """A9: nothing tells whether it was lost in the same restore or in one since."""
    world.lose(3)
    assert len(freeze_if_restored()) == 2
    world.confirm()
    put(foreign_dataset.tenant_id, own_note)
    assert len(freeze_if_restored()) == 2
    assert world.is_frozen()
    world.confirm()
    _confirm(foreign_dataset, world)
    assert freeze_if_restored() == []
    assert not Budget.objects.filter(frozen_at__isnull=False).exists()


def test_two_organisations_that_show_a_restore_in_one_round_are_frozen_once_for_both(
    world: World, foreign_dataset: Dataset, own_note: str
) -> None:
    """A9: each for its own checkpoint."""
    world.lose(3)
    put(foreign_dataset.tenant_id, own_note)
    found = freeze_if_restored()
    assert len(found) == 2
    assert FOR_ANOTHER not in {frozen.reason for frozen in found}
    assert (world.times_frozen(), freeze_if_restored()) == (2, [])


@pytest.fixture
def own_note(foreign_dataset: Dataset) -> str:
    """Of a checkpoint of the other organisation's that its database does not know."""
    with pytest.raises(Restored), transaction.atomic():
        made = make_checkpoint(tenant_id=foreign_dataset.tenant_id)
        assert made
        note: str = made.note
        raise Restored
    return note


def _confirm(dataset: Dataset, world: World) -> None:
    confirm_budget(
        budget=Budget.objects.get(pk=dataset.budget_id),
        actor=actor_of(world.officer.user),
        reason="nothing is missing",
    )
