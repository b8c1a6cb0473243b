"""Part of each round of the sweeper, for every tenant: notices, and the e-mails of surveys.

Must never keep the sweeper from its queries: what fails for one tenant is logged, and the next
round tries again.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from uuid import UUID

import structlog

from dpgov.notices.delivery.deliveries import deliver_waiting
from dpgov.notices.delivery.letters import send_letters
from dpgov.notices.events.follow import follow
from dpgov.operation import clock
from dpgov.operation.away import ends_the_round
from dpgov.oversight.month.letter import enclosed
from dpgov.surveys.services import send_survey_letters
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import KnownTenant, tenants


def letters(tenant_id: UUID, *, until: float = math.inf) -> int:
    """With the report of a month, where that is told."""
    return send_letters(tenant_id, enclosed, until=until)


# What other servers take part in. Each step bounds what it takes by itself.
_STEPS: tuple[Callable[..., int], ...] = (letters, deliver_waiting, send_survey_letters)
# For all of them together, in a round; whoever comes to their turn late has a second all the same.
_SECONDS = 20.0
_LEAST_SECONDS = 1.0
_log = structlog.get_logger("dpgov.notices")


class Turns:
    """Whose turn was the last one, and with which step, from round to round."""

    def __init__(self) -> None:
        self._last = ("", 0)

    def after_the_last(self, known: Iterable[KnownTenant]) -> Iterator[tuple[int, UUID]]:
        """The number of a step and for whom, each once."""
        turns = {(one.slug, step): one.id for one in known for step in range(len(_STEPS))}
        for turn in sorted(turns, key=lambda turn: (turn <= self._last, turn)):
            self._last = turn
            yield turn[1], turns[turn]


def nothing() -> None:
    """Nobody waits to hear that there is progress."""


def notices_round(
    turns: Turns | None = None, between: Callable[[], None] = nothing, *, at_home: bool = True
) -> None:
    """Make events, send letters, call webhooks. Never inside a transaction: it takes seconds.

    With `turns` not many of them: the next round goes on behind the last one's turn. Passes on that
    the database is away; the sweeper knows what to do then. Where it is not `at_home`, what brings
    answers of a survey waits: who is not frozen yet may have had them in what the backup lacks.
    """
    known = tenants()
    for tenant in known:
        _try(follow, tenant.id)
        between()
    # From here on, however long events took: or no turn would ever have any of it.
    over = math.inf if turns is None else clock.running() + _SECONDS
    for number, tenant_id in (turns or Turns()).after_the_last(known):
        if not at_home and _STEPS[number] is send_survey_letters:
            continue
        _try(_STEPS[number], tenant_id, until=max(over, clock.running() + _LEAST_SECONDS))
        between()
        if clock.running() >= over:
            break


def _try(step: Callable[..., int], tenant_id: UUID, **bound: float) -> None:
    try:
        with acting_for(tenant_id):
            step(tenant_id, **bound)
    except Exception as error:
        if ends_the_round(error):
            raise
        _log.exception("notices broke off", step=step.__name__, tenant_id=str(tenant_id))
