"""One organisation whose log is signed, lost and signed again."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DataError, transaction

from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.models import AuditEntry
from dpgov.audit.outside import newest_outside, put
from dpgov.budgets.models import Budget
from dpgov.budgets.services import confirm_budget, freeze_tenant
from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of


class Restored(Exception):
    """The backup was taken before the transaction that is given up here."""


class World:
    """One dataset whose log is signed, lost and signed again; the folder outside is never lost."""

    def __init__(self, dataset: Dataset, asks: Callable[..., Query], officer: Membership) -> None:
        self.dataset, self._asks, self.officer = dataset, asks, officer
        self.tenant_id, self.asked = dataset.tenant_id, 0

    def ask(self, times: int = 1) -> None:
        for _ in range(times):
            self.asked += 1
            self._asks(key=f"k{self.asked}", epsilon=0.1)

    def sign(self) -> int:
        """The size of a new checkpoint, which is outside too."""
        note = self.sign_here()
        put(self.tenant_id, note)
        return newest_outside(self.tenant_id) or 0

    def sign_here(self) -> str:
        """The note of a new checkpoint, which is not delivered."""
        made = make_checkpoint(tenant_id=self.tenant_id)
        assert made
        return made.note

    def lose(self, asked: int) -> int:
        """So many questions and two checkpoints are only outside; the size of the newest."""
        with pytest.raises(Restored), transaction.atomic():
            self.ask(asked - 1)
            self.sign()
            self.ask()
            lost = self.sign()
            raise Restored
        return lost

    def confirm(self) -> None:
        confirm_budget(
            budget=Budget.objects.get(pk=self.dataset.budget_id),
            actor=actor_of(self.officer.user),
            reason="compared with the receipts",
        )

    def is_frozen(self) -> bool:
        return Budget.objects.get(pk=self.dataset.budget_id).frozen_at is not None

    def times_frozen(self) -> int:
        return AuditEntry.objects.filter(action="DATASETS_FROZEN").count()


def cannot_be_frozen(
    dataset: Dataset, patch: pytest.MonkeyPatch, why: Exception | None = None
) -> None:
    """Whoever owns this dataset."""
    really = freeze_tenant

    def fail(**what: Any) -> int:
        if what["tenant_id"] == dataset.tenant_id:
            raise why or DataError()
        return really(**what)

    patch.setattr("dpgov.budgets.services.restored.freeze_tenant", fail)
