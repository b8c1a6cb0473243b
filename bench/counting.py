"""What became of every accepted query, counted from the rows alone."""

import time
from collections import Counter
from collections.abc import Iterable
from uuid import UUID

from django.db import Error, connection
from django.db.models import Count, Sum

from dpgov.audit.models import AuditEntry
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget, Charge
from dpgov.queries.models import Query, Release

_NOT_ANSWERED = {
    "failed after the data was opened, charged": Query.State.FAILED,
    "never begun, given back": Query.State.VOIDED,
}


def drained(most_seconds: float) -> float:
    """Wait until no query waits or runs; how long that took. The sweeper does the work."""
    start = time.monotonic()
    while time.monotonic() - start < most_seconds:
        try:
            if not Query.objects.exclude(state__in=Query.ENDED).exists():
                break
        except Error:
            connection.close()
        time.sleep(0.2)
    return time.monotonic() - start


def count(told: Iterable[tuple[UUID, str]]) -> dict[str, int]:
    """The numbers of the table; the last three must be 0."""
    states = Counter(Query.objects.values_list("state", flat=True))
    return {
        "accepted": Query.objects.count(),
        "answered": Release.objects.count(),
        **{name: states[state] for name, state in _NOT_ANSWERED.items()},
        "overspent": overspent(),
        "released twice": released_twice(),
        "lost": lost(told),
    }


def overspent() -> int:
    """Budgets charged beyond their limit, and everything else that does not add up."""
    beyond = 0
    for budget in Budget.objects.all():
        charged = Charge.objects.filter(budget=budget).aggregate(sum=Sum("amount_nano"))["sum"]
        beyond += (charged or 0) > budget.limit_nano
    unpaid = Release.objects.exclude(query_id__in=Charge.objects.values("query_id")).count()
    return beyond + unpaid + len(ledger_findings())


def released_twice() -> int:
    """Queries with two endings in the log, or two charges on one budget."""
    endings = AuditEntry.objects.filter(action__in=("QUERY_RELEASED", "QUERY_FAILED")).order_by()
    ended = endings.values("subject").annotate(times=Count("pk")).filter(times__gt=1).count()
    charges = Charge.objects.order_by().values("query_id", "budget").annotate(times=Count("pk"))
    return ended + charges.filter(times__gt=1).count()


def lost(told: Iterable[tuple[UUID, str]]) -> int:
    """Queries that a client was told of and that are not there or never ended; and the reverse.

    A key that two answers name differently counts too.
    """
    keys: dict[str, set[UUID]] = {}
    for query_id, key in told:
        keys.setdefault(key, set()).add(query_id)
    ended = set(Query.objects.filter(state__in=Query.ENDED).values_list("pk", flat=True))
    missing = sum(1 for ids in keys.values() for query_id in ids if query_id not in ended)
    twins = sum(len(ids) - 1 for ids in keys.values())
    return missing + twins + Query.objects.exclude(state__in=Query.ENDED).count()
