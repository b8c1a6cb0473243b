"""Cancelling a question that waits while its dataset is paused: its hold comes back, once.

Only then, because a cancellation tells whoever asks for it whether a worker had opened the data. At
any time and for nothing, that would be a stopwatch for the work on the question before it, which
depends on data. During a pause no work goes on: the one thing told is how far it was when an owner
paused it, and the end of the pause tells that anyway. What was opened is charged, as ever.
"""

from uuid import UUID

from django.db import transaction

from dpgov.datasets.lineage import governing, paused_by
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import present
from dpgov.language.said import Said, said
from dpgov.language.spoken import SpokenRefusal
from dpgov.queries.answering import ending
from dpgov.queries.answering.lease import is_frozen
from dpgov.queries.crossing import UNFINISHED
from dpgov.queries.models import Query
from dpgov.queries.selectors import visible_queries
from dpgov.tenants.models import Membership, Role


class NotPaused(SpokenRefusal):
    """Questions of this dataset are being answered: this one is, too."""

    code = "not_paused"

    def __init__(self) -> None:
        super().__init__(
            said("A question can be cancelled only while questions about its dataset are paused.")
        )


class TooLate(SpokenRefusal):
    """The data was opened for it, or it has ended."""

    code = "too_late"

    def __init__(self, query: Query) -> None:
        super().__init__(_why_too_late(query))


def _why_too_late(query: Query) -> Said:
    if query.reuse:
        return said("This question was answered at once and cost nothing: nothing comes back.")
    if query.opened_at is not None:
        return said(
            "The data was opened for this question before the pause, so that it is charged."
        )
    if query.state in Query.CHARGED:
        return said(
            "This question waited when the database was restored. It may have been answered before "
            "that, and was charged."
        )
    return said("This question has ended, and nothing was charged for it.")


def may_cancel(membership: Membership, query: Query) -> bool:
    """Whether this person could now: who asked it, and every owner about others' questions."""
    paused = paused_by(query.dataset) is not None
    waits = paused and query.state not in Query.ENDED and not is_frozen(query)
    return waits and _is_theirs(membership, query)


@transaction.atomic
def cancel(*, membership: Membership, query_id: UUID) -> None:
    """End it without an answer and give its hold back; one entry in the log, by this person.

    Raises Query.DoesNotExist for what is not theirs to cancel, NotPaused, TooLate, and BudgetFrozen
    after a restore, when it may have been answered in what the backup lacks; after a refusal
    nothing has changed. The rows stay locked until it is done, so that neither a worker nor the end
    of the pause comes between.
    """
    asked = visible_queries(membership).get(pk=query_id)
    if not _is_theirs(membership, asked):
        raise Query.DoesNotExist
    # Who only refers to one, as a batch that has its budgets already does, does not wait.
    locked = Dataset.objects.select_for_update(no_key=True)
    datasets = locked.filter(present(), paused_at__isnull=False)
    of_it = [one.pk for one in governing(asked.dataset)]
    if not datasets.filter(pk__in=of_it).order_by("pk"):
        raise NotPaused
    current = Query.objects.select_for_update(of=("self",)).select_related("dataset__budget")
    query = current.get(pk=query_id)
    if query.state not in UNFINISHED or query.opened_at is not None:
        raise TooLate(query)
    ending.withdraw(query, user=membership.user)


def _is_theirs(membership: Membership, query: Query) -> bool:
    """Who may pause does not cancel what they asked themselves: both would be their stopwatch."""
    return (query.analyst_id == membership.user_id) != membership.has(Role.OWNER)
