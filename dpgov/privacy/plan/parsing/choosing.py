"""Which tables a stored plan chooses among, and how often.

Nobody writes this by hand: a plan with it is made of a set of tables (`answer.table_sets`), and
read again when it is answered.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.plan.plan import Choosing, Grouping
from dpgov.privacy.plan.problems import Problems, shortened

MAX_ROUNDS = 20
MAX_CANDIDATES = 66
_KEYS = ("rounds", "tables", "mwem")


def read_rounds(raw: object, problems: Problems, path: str = "rounds") -> int | None:
    """How many rounds, said by the asker."""
    if type(raw) is int and 1 <= raw <= MAX_ROUNDS:
        return raw
    problems.add(path, said("Say how many rounds: from 1 to {most}.", most=MAX_ROUNDS))
    return None


def read_choosing(raw: object, group_by: Sequence[Grouping], problems: Problems) -> Choosing | None:
    """The choice; None for a problem."""
    body = problems.mapping("adaptive", raw, _KEYS)
    if body is None:
        return None
    names = [grouping.column for grouping in group_by]
    tables = []
    for place, entry in enumerate(_tables(body, problems)):
        found = {names.index(name) for name in entry if name in names}
        if not found or len(found) < len(entry):
            problems.add(f"adaptive.tables.{place}", said("Must name groups of the plan."))
        tables.append(tuple(sorted(found)))
    rounds = read_rounds(body.get("rounds"), problems, "adaptive.rounds")
    mwem = body.get("mwem", False)
    if type(mwem) is not bool:
        problems.add("adaptive.mwem", said("Unknown method “{name}”.", name=shortened(mwem)))
    return None if rounds is None else Choosing(tuple(tables), rounds, mwem is True)


def _tables(body: Mapping[str, Any], problems: Problems) -> list[list[Any]]:
    entries = problems.items("adaptive.tables", body.get("tables"), least=1, most=MAX_CANDIDATES)
    return [entry if isinstance(entry, list) else [entry] for entry in entries]
