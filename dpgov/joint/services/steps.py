"""The steps that nobody asks for: opening, adding up, giving up. Sees masked shares, never data.

Done for each party in its own tenant, by the sweeper: every step is safe when two do it at once,
and again after a crash, because the state of the party's own question lets one through. All parties
come to the same end: shares count only when all are there, and an hour before a missing one is
given up no share is taken any more.

When an answer appears is a function of when the question was opened: never of when a share came.
"""

import logging
from datetime import datetime
from uuid import UUID

from django.db import DatabaseError, transaction

from dpgov.audit.actor import SWEEPER
from dpgov.audit.entry import canonical_json
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.services.freezing import confirm_place
from dpgov.joint import crossing
from dpgov.joint.models import Party
from dpgov.joint.services.prepared import joint_of_party
from dpgov.joint.services.sharing import ENDED_AFTER, is_over
from dpgov.operation.away import ends_the_round, is_conflict
from dpgov.operation.clock import database_now
from dpgov.privacy.joint.masks import from_bytes, total_of
from dpgov.queries.answering import ending
from dpgov.queries.answering.lease import Found, LostLease, Stopped, seal
from dpgov.queries.answering.moments import latest_at
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for

logger = logging.getLogger(__name__)


def joint_round() -> int:
    """One look at every joint question of the installation: how many steps were taken."""
    return sum(_round_of(tenant_id) for tenant_id in crossing.tenants_with_unfinished_parties())


def _round_of(tenant_id: UUID) -> int:
    with acting_for(tenant_id):
        unfinished = Party.objects.filter(tenant=tenant_id, query__state=Query.State.RUNNING)
        whole = unfinished.select_related(
            "question", "query__dataset__budget", "query__version__dataset__budget"
        )
        return sum(_try_step(party) for party in list(whole.order_by("joined_at")))


def _try_step(party: Party) -> bool:
    """One that cannot go on stands in nobody's way: it is tried again in the next round.

    None goes on in a database that moved, where its budgets may not be frozen yet, nor where they
    are frozen.
    """
    try:
        confirm_place()
        return _step(party)
    except (LostLease, Stopped, BudgetFrozen):
        return False
    except Exception as error:
        if ends_the_round(error):
            raise
        logger.exception("joint part %s goes no further: %s", party.pk, type(error).__name__)
        if isinstance(error, DatabaseError) and not is_conflict(error):
            raise
        return False


def _step(party: Party) -> bool:
    question = party.question
    if question.opened_at is None:
        return _before_opening(party)
    shares = crossing.shares_of(question.pk)
    if shares:
        _seal(party, [from_bytes(bytes.fromhex(share)) for share in shares], question.opened_at)
        return True
    if is_over(question, ENDED_AFTER):
        # Charged, like every question whose data was opened.
        ending.give_up(party.query, fence=party.query.fence, actor=SWEEPER)
        return True
    return False


def _before_opening(party: Party) -> bool:
    question = party.question
    there = crossing.standing(question.pk)
    if database_now() > question.expires_at or not all(one.holds for one in there):
        return _end_unopened(party)
    if len(there) < question.parties or not all(one.public_key for one in there):
        return False
    return crossing.open_question(question.pk)


@transaction.atomic
def _end_unopened(party: Party) -> bool:
    """Give the hold back, unless another sweeper opened the question since this party was read.

    Nobody holds anything in an opened question either, and to give up there would fail it for all.
    The opening takes the row of every party's own question, so that under its lock it has happened
    or cannot happen any more.
    """
    current = Query.objects.select_for_update().get(pk=party.query_id)
    if current.opened_at is not None:
        return False
    ending.give_up(party.query, fence=party.query.fence, actor=SWEEPER, expired=True)
    return True


def _seal(party: Party, shares: list[list[int]], opened_at: datetime) -> None:
    """Keep this party's release in its own question until it is due: the same for all of them."""
    question, query = party.question, party.query
    totals = total_of(shares, question.parties)
    body = joint_of_party(party).release(totals, question=str(question.pk))
    due = latest_at(opened_at, database_now())
    seal(query.pk, query.fence, Found(Query.Outcome.RELEASED, canonical_json(body), due))
