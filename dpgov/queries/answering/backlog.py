"""How many questions of all tenants are in which state: for the operator, never for a page."""

from dataclasses import dataclass

from dpgov.queries.clock import database_now
from dpgov.queries.crossing import UNFINISHED, counts_by_state
from dpgov.queries.models import Query


@dataclass(frozen=True, slots=True)
class Backlog:
    """Counts for every state, also for those that no question is in, and the longest wait."""

    by_state: dict[str, int]
    oldest_waiting_seconds: float


def backlog() -> Backlog:
    """Counted now, over the whole installation."""
    found = counts_by_state()
    counts = {state: found.get(state, (0, None))[0] for state in Query.State.values}
    unfinished = (found[state][1] for state in UNFINISHED if state in found)
    oldest = min((moment for moment in unfinished if moment), default=None)
    waited = (database_now() - oldest).total_seconds() if oldest else 0.0
    return Backlog(counts, max(0.0, waited))
