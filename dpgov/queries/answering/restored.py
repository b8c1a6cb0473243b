"""What waited when a backup was made: it may have been answered in what the backup lacks.

Answered once more, with other noise, people would lose twice what is charged once; given back, its
price would stand in what remains, where no officer looks for it. So it is ended and charged, unless
the officer says that none was answered elsewhere. An answer that is sealed in its row stays: it
comes out with the same bytes, at its moment. What could leak: nothing, as no row of data is read.
"""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction

from dpgov.audit.actor import Actor
from dpgov.budgets import services as ledger
from dpgov.queries.answering import ending
from dpgov.queries.crossing import UNFINISHED
from dpgov.queries.models import Query


def with_waiting(budget_ids: Iterable[UUID]) -> set[UUID]:
    """Which of these budgets have a question of their dataset that waits, sealed or not.

    Nobody is told which: how far the work on it was depends on data.
    """
    waiting = Query.objects.filter(
        dataset__budget__in=list(budget_ids), state__in=Query.HOLDING
    ).order_by()
    return set(waiting.values_list("dataset__budget", flat=True))


@transaction.atomic
def end_what_waited(*, budget_id: UUID, actor: Actor) -> int:
    """Charge every question that waits unanswered, of the frozen dataset of this budget; how many.

    Before `confirm_budget`, in one transaction with it: everything that it locks is locked here,
    after the rows of the questions, as by every step that ends one. Questions of datasets that were
    derived from this one are ended with the confirmation of theirs.
    """
    rows = Query.objects.filter(dataset__budget=budget_id, state__in=UNFINISHED)
    locked = rows.select_for_update(of=("self",)).select_related("dataset__budget")
    waiting = list(locked.order_by("pk"))
    ledger.take_all(budget_id=budget_id, query_ids=[query.pk for query in waiting])
    for query in waiting:
        ending.charge_unanswered(query, actor=actor)
    return len(waiting)
