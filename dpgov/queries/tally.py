"""Sums of what was asked, kept up by the sweeper, so that a page need not add up a long history.

Each ended question is added once and marked; a page adds those that are not marked yet. So the
sums are exact at every moment, whenever the sweeper was last there, and tell nothing of it.
"""

from collections import Counter
from uuid import UUID

from django.db import transaction
from django.db.models import F, Model

from dpgov.queries.crossing import tenants_with_uncounted_queries
from dpgov.queries.models import DayTally, Query, Tally
from dpgov.tenants.boundary import acting_for

_BATCH = 2_000
_Key = tuple[tuple[str, object], ...]


def tally_round() -> int:
    """Count what ended since the last round, one batch for each tenant; how many."""
    counted = 0
    for tenant_id in tenants_with_uncounted_queries():
        with acting_for(tenant_id):
            counted += tally(tenant_id)
    return counted


@transaction.atomic
def tally(tenant_id: UUID) -> int:
    """Add up to a batch of the tenant's ended questions to the sums, each once; how many."""
    ended = Query.objects.filter(tenant_id=tenant_id, counted=False, state__in=Query.ENDED)
    batch = list(ended.select_for_update(skip_locked=True).order_by()[:_BATCH])
    sums: dict[type[Model], Counter[_Key]] = {Tally: Counter(), DayTally: Counter()}
    for query in batch:
        if query.state in Query.CHARGED and not query.reuse:
            own = {"tenant_id": tenant_id, "dataset_id": query.dataset_id}
            by_kind = {**own, "analyst_id": query.analyst_id, "kind": query.kind}
            by_day = {**own, "day": query.submitted_at.date()}
            sums[Tally][tuple(by_kind.items())] += query.cost_nano
            sums[DayTally][tuple(by_day.items())] += query.cost_nano
    for model, amounts in sums.items():
        for key, nano in sorted(amounts.items(), key=str):
            _add(model, dict(key), nano)
    Query.objects.filter(pk__in=[query.pk for query in batch]).update(counted=True)
    return len(batch)


def _add(model: type[Model], key: dict[str, object], nano: int) -> None:
    row, _ = model._default_manager.get_or_create(**key, defaults={"nano": 0})
    model._default_manager.filter(pk=row.pk).update(nano=F("nano") + nano)
