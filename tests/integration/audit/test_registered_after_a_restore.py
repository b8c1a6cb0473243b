"""A9: what is new to a restored database may have been in what the backup lacks, and asked about.

What could leak: the same answers once more, of a dataset that comes back with a full budget.
"""

from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from django.db import OperationalError, connection, connections, transaction
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditCheckpoint
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.models import Budget
from dpgov.budgets.services import confirm_budget, freeze_tenant, open_budget
from dpgov.budgets.services.opening import OPENED_AFTER_A_RESTORE
from dpgov.budgets.services.restored import freeze_if_restored
from dpgov.datasets.models import Dataset
from dpgov.language.said import from_values
from dpgov.privacy.accounting.decimals import NANO
from dpgov.sweeper.checkpoints import checkpoint_round
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, Role, Tenant
from dpgov.tenants.selectors import actor_of
from tests.cast import Ask, join
from tests.integration.audit.worlds import Restored, World
from tests.integration.surveys.made import opened
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db(transaction=True)


@made_once
def colleague(world: World) -> Membership:
    """Somebody whose data came after the backup."""
    return join(world.dataset.tenant, Role.OWNER, "otto")


def registered(colleague: Membership) -> Dataset:
    return register_small_dataset(colleague, name="Fresh")


def budget_of(dataset: Dataset) -> Budget:
    return Budget.objects.get(pk=dataset.budget_id)


def confirm(dataset: Dataset, world: World, missing_nano: int | None = None) -> None:
    confirm_budget(
        budget=budget_of(dataset),
        actor=actor_of(world.officer.user),
        reason="compared with the receipts",
        missing_nano=missing_nano,
    )


def test_a_dataset_that_was_lost_is_frozen_when_it_is_registered_again(
    world: World, colleague: Membership, analyst: Membership, ask: Ask
) -> None:
    """A9: what it was asked is booked by an officer before it is asked again."""
    with pytest.raises(Restored), transaction.atomic():
        lost = registered(colleague)
        ask(analyst, of=lost, epsilon=2)
        world.sign()
        raise Restored
    freeze_if_restored()
    again = registered(colleague)
    assert from_values(budget_of(again).frozen_reason) == OPENED_AFTER_A_RESTORE
    with pytest.raises(BudgetFrozen):
        ask(analyst, of=again)
    confirm(again, world, 2 * NANO)
    ask(analyst, of=again)
    assert budget_of(again).spent_nano == 2 * NANO


def test_it_is_frozen_as_long_as_anything_is_and_no_longer(
    world: World, colleague: Membership
) -> None:
    """A9: one that nobody confirmed yet is enough."""
    freeze_tenant(tenant_id=world.tenant_id, reason="restored")
    first = registered(colleague)
    world.confirm()
    second = register_small_dataset(join(colleague.tenant, Role.OWNER, "bert"), name="Second")
    assert budget_of(second).frozen_at is not None
    for each in (first, second):
        confirm(each, world)
    third = register_small_dataset(join(colleague.tenant, Role.OWNER, "carl"), name="Third")
    assert budget_of(third).frozen_at is None


def test_what_another_organisation_has_to_confirm_freezes_nothing_here(
    world: World, foreign_dataset: Dataset, colleague: Membership
) -> None:
    """A9: each has its own officers."""
    with acting_for(foreign_dataset.tenant_id):
        freeze_tenant(tenant_id=foreign_dataset.tenant_id, reason="by hand")
    assert budget_of(registered(colleague)).frozen_at is None


@pytest.mark.parametrize(
    ("kind", "is_frozen"),
    [
        (Budget.Kind.DATASET, True),
        (Budget.Kind.SHARED_BUDGET, True),
        (Budget.Kind.ALLOCATION, False),
        (Budget.Kind.PARTITION, False),
    ],
)
def test_what_people_may_have_lost_before_is_frozen(
    world: World, kind: Budget.Kind, is_frozen: bool
) -> None:
    """A9: a shared budget may have been charged for a survey; what lies below one is not asked."""
    freeze_tenant(tenant_id=world.tenant_id, reason="restored")
    made = open_budget(tenant=world.dataset.tenant, label="New", limit_nano=NANO, kind=kind)
    made.refresh_from_db()
    assert (made.frozen_at is not None) is is_frozen


def test_a_survey_that_opens_takes_reports(world: World, owner: Membership) -> None:
    """A9: nothing of it can be missing; tokens of another one are none of its own."""
    freeze_tenant(tenant_id=world.tenant_id, reason="restored")
    survey = opened(owner)
    assert survey.budget is not None
    assert survey.budget.frozen_at is None


def test_a_second_restore_finds_no_answer_that_the_first_one_hid(
    world: World,
    colleague: Membership,
    analyst: Membership,
    ask: Ask,
    settings: Any,
) -> None:
    """A9: until an officer has spoken no checkpoint is made, and no question is admitted."""
    settings.DPGOV_CHECKPOINT_ENTRIES = 1
    world.lose(9)
    freeze_if_restored()
    before, fresh = AuditCheckpoint.objects.count(), registered(colleague)
    for _ in range(2):
        freeze_if_restored()
        checkpoint_round()
    assert AuditCheckpoint.objects.count() == before
    with pytest.raises(BudgetFrozen):
        ask(analyst, of=fresh)


def test_the_officer_reads_what_to_do_about_it(
    world: World, colleague: Membership, client_for: Callable[[Membership], Client]
) -> None:
    """A9: before and after everything is confirmed."""
    freeze_tenant(tenant_id=world.tenant_id, reason="restored")
    fresh = registered(colleague)
    page, address = client_for(world.officer), reverse("oversight:frozen")
    shown = page.get(address).content.decode()
    assert OPENED_AFTER_A_RESTORE in shown
    assert "registered after the backup" in shown
    confirm(fresh, world)
    world.confirm()
    assert "registered after the backup" in page.get(address).content.decode()


def test_a_freeze_waits_for_what_is_being_opened_and_finds_it(world: World) -> None:
    """A9: else the new budget is neither frozen nor has seen the freeze."""
    tenant = world.dataset.tenant
    with transaction.atomic():
        fresh = open_budget(tenant=tenant, label="Fresh", limit_nano=NANO)
        assert _waits(lambda: freeze_tenant(tenant_id=tenant.pk, reason="restored"), tenant)
    freeze_tenant(tenant_id=tenant.pk, reason="restored")
    fresh.refresh_from_db()
    assert fresh.frozen_at is not None


def test_what_is_opened_waits_for_a_freeze_and_sees_it(world: World) -> None:
    """A9: the other way round."""
    tenant = world.dataset.tenant

    def open_it() -> Budget:
        return open_budget(tenant=tenant, label="Fresh", limit_nano=NANO)

    with transaction.atomic():
        freeze_tenant(tenant_id=tenant.pk, reason="restored")
        assert _waits(open_it, tenant)
    assert open_it().frozen_at is not None


def _waits(step: Callable[[], object], tenant: Tenant) -> bool:
    """Whether this step of another connection has to wait for the present transaction."""
    waited: list[bool] = []

    def try_it() -> None:
        try:
            with acting_for(tenant.pk), transaction.atomic():
                step()
            waited.append(False)
        except OperationalError:
            waited.append(True)
        finally:
            connections.close_all()

    def impatient() -> None:
        with connection.cursor() as cursor:
            cursor.execute(_IMPATIENT[connection.vendor])
        try_it()

    other = Thread(target=impatient)
    other.start()
    other.join()
    return waited == [True]


_IMPATIENT = {
    "postgresql": "SET lock_timeout = '200ms'",
    "sqlite": "PRAGMA busy_timeout = 200",
}
