"""Who took how much of which dataset, ever: the tallies and what they do not hold yet."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import BigIntegerField, Sum
from django.db.models.functions import Cast

from dpgov.queries.models import Query, Tally
from dpgov.tenants.models import Tenant

_COMMITTED = (*Query.HOLDING, *Query.CHARGED)
_MOST = 12


@dataclass(frozen=True, slots=True)
class Crossed:
    """Sums by (person, dataset); people by how many datasets' shares they took, most first."""

    nano: Mapping[tuple[UUID, UUID], int]
    people: list[tuple[UUID, str]]


def crossed(tenant: Tenant, limits: Mapping[UUID, int]) -> Crossed:
    """Of these datasets, whose limits say how much an amount is. One statement."""
    by = ("analyst", "analyst__name", "analyst__email", "dataset")
    kept = Tally.objects.filter(tenant=tenant, dataset__in=limits, nano__gt=0).order_by()
    fresh = Query.objects.filter(
        tenant=tenant, dataset__in=limits, counted=False, state__in=_COMMITTED
    ).order_by()
    rows = kept.values_list(*by).annotate(sum=Cast(Sum("nano"), BigIntegerField()))
    waiting = fresh.values_list(*by).annotate(sum=Cast(Sum("cost_nano"), BigIntegerField()))
    sums: Counter[tuple[UUID, UUID]] = Counter()
    weight: Counter[tuple[UUID, str]] = Counter()
    for person, name, email, dataset, nano in rows.union(waiting, all=True):
        sums[person, dataset] += int(nano)
        # In millionths of the limit: amounts in ε and in ρ cannot be added up.
        weight[person, str(name or email)] += 10**6 * int(nano) // max(1, limits[dataset])
    return Crossed(sums, [person for person, _weight in weight.most_common(_MOST)])
