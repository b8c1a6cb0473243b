"""The worker's part: claim, compute, add noise, seal.

The exact answer lives in this module's local variables only. It is never logged, stored, put in a
message or in an error: whatever goes wrong after the data was opened ends in one fixed way.

Questions about a version whose data file this process does not see are left to other workers, for a
while only, because a volume may be mounted late and a file be brought here from shared storage:
nothing is voided for what one machine lacks.
"""

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from uuid import UUID

from django.db import transaction

from dpgov.audit.actor import WORKER
from dpgov.budgets.errors import BudgetFrozen
from dpgov.datasets.selectors import schema_of
from dpgov.datasets.services import DataMissing, ReadsAnother, bring_soon, engine_for, sees
from dpgov.datasets.store.copies import in_use
from dpgov.engines.base import DataNotOpened, Engine
from dpgov.operation import request_ids
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.release import draw
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.request import ExactAnswer, ExactRequest
from dpgov.queries.answering import ending
from dpgov.queries.answering.lease import (
    Claim,
    LostLease,
    Stopped,
    claim,
    give_back,
    mark_opened,
)
from dpgov.queries.answering.turns import HeavyPlaces, next_turn, version_asked
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for

logger = logging.getLogger(__name__)


# Versions that one look passes over; the rest is for the next one.
_MOST_UNSEEN = 20


def answer_next(came: Callable[[], object] = lambda: None) -> bool:
    """Answer the question whose turn it is, of whichever tenant; True if this call ended it.

    A process that finds no heavy place free takes a light one. `came` is called when a file is here
    that was not.
    """
    with ExitStack() as held:
        return _answer_next(held, came)


def _answer_next(held: ExitStack, came: Callable[[], object]) -> bool:
    try:
        heavy_too = HeavyPlaces.enter()
        taken = _take(held, came, light_only=not heavy_too)
        if taken is None:
            return False
        if not taken.query.heavy:
            HeavyPlaces.leave()
        request_ids.begin(taken.query.request_id)
        with acting_for(taken.query.tenant_id):
            return answered(taken)
    except BudgetFrozen:
        logger.warning("questions wait: this database moved")
        return False
    finally:
        HeavyPlaces.leave()


def _take(held: ExitStack, came: Callable[[], object], *, light_only: bool) -> Claim | None:
    """Claim the next question whose data is here, and stays until `held` ends.

    Others are left to other workers, until their file is brought here.
    """
    for _ in range(_MOST_UNSEEN):
        with transaction.atomic():
            turn = next_turn(light_only=light_only, unseen=unseen())
            if turn is None:
                return None
            with acting_for(turn.tenant_id):
                version_id, seal, key_id = version_asked(turn.query_id)
                held.enter_context(in_use([version_id]))
                if sees(version_id, seal, key_id):
                    return claim(turn.query_id, turn=turn.number)
        with acting_for(turn.tenant_id):
            _leave_or_bring(version_id, came)
    return None


def _leave_or_bring(version_id: UUID, came: Callable[[], object]) -> None:
    def use() -> None:
        _until.pop(version_id, None)
        came()

    pass_over(version_id)
    if bring_soon(version_id, use):
        logger.info("the data file of version %s is brought here", version_id)
    else:
        logger.warning("left to other workers: the data file of version %s is not here", version_id)


def answered(held: Claim) -> bool:
    """Answer what this worker holds, unless it has lost it; True if this call ended it.

    The answer is sealed until its moment comes: another process publishes it then. One that was
    drawn for a dataset that is frozen by now is thrown away.
    """
    try:
        return _answer(held)
    except LostLease:
        logger.info("query %s was taken over by another worker", held.query.pk)
        return False
    except Stopped:
        # It waits as if nobody had taken it; what was opened stays opened.
        give_back(held)
        return False


def _answer(held: Claim) -> bool:
    try:
        blueprint, engine = _prepare(held.query)
    except (DataMissing, OSError):
        # What one machine lacks is no reason to end a question.
        give_back(held)
        pass_over(held.query.version_id)
        logger.warning("the data file of version %s went away", held.query.version_id)
        return False
    except ReadsAnother:
        # It waits for two persons, with all others about this dataset.
        give_back(held)
        logger.warning("query %s waits: its live table is held", held.query.pk)
        return False
    except DataNotOpened:
        # Not a row was read, so nothing is charged; which fault it was stays here.
        logger.warning("query %s: its live table cannot be asked", held.query.pk)
        ending.give_up(held.query, fence=held.fence, actor=WORKER)
        return True
    except Exception:
        logger.exception("query %s could not be prepared", held.query.pk)
        ending.give_up(held.query, fence=held.fence, actor=WORKER)
        return True
    first = mark_opened(held)
    started, read = held.passed(), []

    def scan(request: ExactRequest) -> ExactAnswer:
        found = engine.answer(request)
        read.append(request)
        return found

    try:
        exact = [scan(request) for request in blueprint.requests]
        body = draw(blueprint, exact, scan)
    except Exception as error:
        # The text of the error may quote the data, so only its type is written down.
        logger.error("query %s failed: %s", held.query.pk, type(error).__name__)
        # A later scan that finds no file comes after one that read it, and perhaps after draws.
        never_read = first and not read and isinstance(error, DataNotOpened)
        ending.seal_failure(held, started=started, never_read=never_read)
        return True
    ending.seal(held, body=body, started=started)
    return True


def _prepare(query: Query) -> tuple[Blueprint, Engine]:
    schema = schema_of(query.version)
    plan = parse_plan(query.plan, schema, dataset=query.plan["dataset"], stored=True)
    blueprint = prepare(plan, schema)
    if blueprint.cost_nano != query.cost_nano:
        raise ValueError("the plan's cost is not what was reserved")
    return blueprint, engine_for(query.version)


_SECONDS = 10.0
_until: dict[UUID, float] = {}


def pass_over(version_id: UUID) -> None:
    """Leave questions about this version to others for a while."""
    _until[version_id] = time.monotonic() + _SECONDS


def unseen() -> frozenset[UUID]:
    """The versions to pass over now."""
    now = time.monotonic()
    for version_id in [each for each, until in list(_until.items()) if until <= now]:
        _until.pop(version_id, None)
    return frozenset(_until)
