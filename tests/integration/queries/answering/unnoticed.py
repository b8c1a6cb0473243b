"""A freeze that commits while a worker keeps its answer: its statement's own look comes before."""

from typing import Any

import pytest
from django.db.models import Exists, QuerySet

from dpgov.datasets.models import Dataset
from dpgov.queries.answering import lease


def freeze_unnoticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `seal` writes under sees no freeze, so that the guard alone is there; who asks does."""
    monkeypatch.setattr(lease, "Exists", _seen_afterwards)


class _Unseen(Exists):
    def __invert__(self) -> Any:
        return ~Exists(Dataset.objects.none())


def _seen_afterwards(which: QuerySet[Dataset]) -> Exists:
    return _Unseen(which) if which is lease.FROZEN else Exists(which)
