"""Sums of what was asked, kept up by the sweeper, so that a page need not add up a long history.

Each ended question is added once and marked; a page adds those that are not marked yet. So the
sums are exact at every moment, whenever the sweeper was last there, and tell nothing of it.
"""

from collections import Counter
from uuid import UUID

from django.db import transaction
from django.db.models import F, Model, Q, QuerySet

from dpgov.queries.crossing import tenants_with_uncounted_queries
from dpgov.queries.kinds import statistics_of
from dpgov.queries.models import DayTally, Query, Tally
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import User

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
        # What cost nothing is added too: the sums also say which kinds there are.
        charged = query.state in Query.CHARGED and not query.reuse
        cost = query.cost_nano if charged else 0
        own = {"tenant_id": tenant_id, "dataset_id": query.dataset_id}
        by_kind = {**own, "analyst_id": query.analyst_id, "kind": query.kind}
        by_day = {**own, "day": query.submitted_at.date()}
        sums[Tally][tuple(by_kind.items())] += cost
        if cost:
            sums[DayTally][tuple(by_day.items())] += cost
    for model, amounts in sums.items():
        for key, nano in sorted(amounts.items(), key=str):
            _add(model, dict(key), nano)
    Query.objects.filter(pk__in=[query.pk for query in batch]).update(counted=True)
    return len(batch)


def kinds_asked(tenant_id: UUID) -> set[str]:
    """Every kind of question that anybody of the tenant asked, in a few short reads."""
    kept = Tally.objects.filter(tenant_id=tenant_id)
    fresh = Query.objects.filter(tenant_id=tenant_id, counted=False)
    found = (rows.order_by().values_list("kind", flat=True).distinct() for rows in (kept, fresh))
    return {kind for kinds in found for kind in kinds}


def kinds_with(tenant_id: UUID, statistic: str) -> set[str]:
    """Those of them that name this statistic, by its key in the table of statistics."""
    return {kind for kind in kinds_asked(tenant_id) if statistic in statistics_of(kind)}


def analysts_who_asked(tenant_id: UUID) -> QuerySet[User]:
    """Everybody who ever asked about data of the tenant, by name; no walk through all questions."""
    kept = Tally.objects.filter(tenant_id=tenant_id)
    fresh = Query.objects.filter(tenant_id=tenant_id, counted=False)
    asked = Q(pk__in=kept.values("analyst")) | Q(pk__in=fresh.order_by().values("analyst"))
    return User.objects.filter(asked).order_by("name", "email")


def _add(model: type[Model], key: dict[str, object], nano: int) -> None:
    row, _ = model._default_manager.get_or_create(**key, defaults={"nano": 0})
    model._default_manager.filter(pk=row.pk).update(nano=F("nano") + nano)
