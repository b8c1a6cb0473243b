"""Who took how much of which dataset, in a range of time or ever. One statement.

Ever: the tallies and what they do not hold yet. In a range, or under a filter: the questions, after
those statements by which `ChosenQuestions` finds the kinds that name a statistic.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID

from django.db.models import BigIntegerField, QuerySet, Sum
from django.db.models.functions import Cast

from dpgov.dashboards.chosen import ChosenQuestions
from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query, Tally
from dpgov.tenants.models import Tenant

_BY = ("analyst", "analyst__name", "analyst__email", "dataset", "dataset__budget__limit_nano")
_MOST = 12


@dataclass(frozen=True, slots=True)
class Crossed:
    """Sums by (person, dataset); people by how many datasets' shares they took, most first."""

    nano: Mapping[tuple[UUID, UUID], int]
    people: list[tuple[UUID, str]]


def crossed(
    tenant: Tenant, datasets: QuerySet[Dataset], first: date | None, chosen: ChosenQuestions
) -> Crossed:
    """Of these datasets, whose limits say how much an amount is."""
    # By number: thousands of rows of a few people, and an id takes long to hash.
    weight: Counter[int] = Counter()
    people: dict[int, tuple[UUID, str]] = {}
    parts: defaultdict[int, list[tuple[UUID, int]]] = defaultdict(list)
    for person, name, email, dataset, limit, nano in _rows(tenant, datasets, first, chosen):
        # In millionths of the limit: amounts in ε and in ρ cannot be added up.
        weight[person.int] += 10**6 * int(nano) // max(1, limit)
        people[person.int] = (person, name or email)
        parts[person.int].append((dataset, int(nano)))
    shown = [one for one, _weight in weight.most_common(_MOST)]
    sums: Counter[tuple[UUID, UUID]] = Counter()
    for one in shown:
        for dataset, nano in parts[one]:
            sums[people[one][0], dataset] += nano
    return Crossed(sums, [people[one] for one in shown])


def _rows(
    tenant: Tenant, datasets: QuerySet[Dataset], first: date | None, chosen: ChosenQuestions
) -> QuerySet[Any, Any]:
    of = {"tenant": tenant, "dataset__in": datasets.order_by().values("pk")}
    asked = Query.objects.filter(**of, state__in=Query.COMMITTED).order_by()
    if first is not None:
        asked = asked.filter(submitted_at__gte=datetime.combine(first, time.min, UTC))
    if first is not None or chosen.chips:
        return _summed(chosen.narrow(asked), "cost_nano")
    kept = Tally.objects.filter(**of, nano__gt=0).order_by()
    return _summed(kept, "nano").union(_summed(asked.filter(counted=False), "cost_nano"), all=True)


def _summed(rows: QuerySet[Any, Any], amount: str) -> QuerySet[Any, Any]:
    sums: QuerySet[Any, Any] = rows.values_list(*_BY).annotate(
        sum=Cast(Sum(amount), BigIntegerField())
    )
    return sums
