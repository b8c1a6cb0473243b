"""What a request about a shared budget would change, in words for both persons.

Reads the request's own payload and the tenant's own ledger rows; of another organisation nothing
but the total.
"""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from dpgov.approvals.models import ChangeRequest, Kind
from dpgov.budgets.models import Budget
from dpgov.budgets.services.dividing import merged_limit
from dpgov.budgets.services.invitations import LIFETIME
from dpgov.budgets.words import limit_text, together
from dpgov.dashboards.populations import in_a_row
from dpgov.privacy.currency import PURE

Row = tuple[str, str, str]
_TOGETHER = (
    "Joining only makes the guarantee stronger: one limit holds for all of these datasets "
    "together, beside the limit of each."
)


@dataclass(frozen=True, slots=True)
class Told:
    """A headline, what there is before and after, and what that means."""

    title: str
    rows: list[Row] = field(default_factory=list)
    meaning: list[str] = field(default_factory=list)


def population_title(request: ChangeRequest) -> str | None:
    """One line for lists, or None for a request about something else; asks no database."""
    payload = request.payload
    try:
        match request.kind:
            case Kind.MERGE_POPULATIONS:
                into, other = payload["names"]
                return f"Merge the shared budget “{other}” into “{into}”"
            case Kind.SPLIT_POPULATION | Kind.LEAVE_POPULATION:
                return f"Take {in_a_row(payload['datasets'])} out of “{payload['from']}”"
            case Kind.SHARE_POPULATION:
                return f"Share “{payload['name']}” with another organisation"
            case Kind.ACCEPT_POPULATION:
                return f"Share “{payload['name']}” of another organisation"
    except (KeyError, ValueError):
        # An older or foreign form of the request: it is shown as it is written.
        return None
    return None


def population_words(request: ChangeRequest) -> Told | None:
    """The whole request in words; None where `population_title` has none."""
    title, payload = population_title(request), request.payload
    if title is None:
        return None
    match request.kind:
        case Kind.MERGE_POPULATIONS:
            return _merge(title, payload)
        case Kind.SPLIT_POPULATION | Kind.LEAVE_POPULATION:
            return _divide(title, payload, _budget(payload["population"]))
        case Kind.SHARE_POPULATION:
            return _share(title, payload)
    return _accept(title, payload)


def _merge(title: str, payload: dict[str, Any]) -> Told:
    (into_name, other_name), limits = payload["names"], _limits(payload)
    into, other = _budget(payload["into"]), _budget(payload["other"])
    currency = PURE if into is None else into.currency
    rows: list[Row] = [(f"“{other_name}”", f"limit {together(limits[1], currency)}", "ends")]
    if into is not None and other is not None and other.closed_at is None:
        rows.append(
            (
                f"Limit of “{into_name}”",
                together(limits[0], currency),
                together(merged_limit(into, other), currency),
            )
        )
        rows.append(
            (
                f"Committed of “{into_name}”",
                together(into.committed_nano, currency),
                together(into.committed_nano + other.committed_nano, currency),
            )
        )
    return Told(
        title,
        rows,
        [
            "All datasets of both share one limit from then on: the smaller of the two, or what "
            "is already committed where that is more; then nothing remains.",
            _TOGETHER,
            "Taking them apart again does not give back what was carried over.",
        ],
    )


def _divide(title: str, payload: dict[str, Any], population: Budget | None) -> Told:
    limit, names = payload["limit_nano"], in_a_row(payload["datasets"])
    rows: list[Row] = [(names, f"shares “{payload['from']}”", f"shares “{payload['name']}”")]
    meaning = [
        f"Questions about {names} leave no less for the other datasets any more, and the other "
        "way round. That is right only if they are about different people.",
        f"“{payload['name']}” begins with the limit of “{payload['from']}” and with everything "
        "that is committed there, because nobody can tell whose losses those were.",
    ]
    if population is not None:
        worst = limit + max(0, limit - population.committed_nano)
        meaning.append(
            "Somebody who is on both sides after all could lose up to "
            f"{together(worst, population.currency)}, where {limit_text(population)} was promised."
        )
    return Told(title, rows, meaning)


def _share(title: str, payload: dict[str, Any]) -> Told:
    return Told(
        title,
        [("Code for another organisation", "none", f"one, for {LIFETIME.days} days and one use")],
        [
            "Whoever approves sees the code, once, and hands it over.",
            f"Who enters it sees the name “{payload['name']}”, its limit and how much of it is "
            "committed. Of your datasets, people and questions they see nothing; of theirs you "
            "see nothing.",
            "What they had lost before is carried over, and what they ask leaves less for you. "
            "The limit cannot be raised while they share it.",
        ],
    )


def _accept(title: str, payload: dict[str, Any]) -> Told:
    where = f" at δ {payload['delta']}" if "delta" in payload else ""
    return Told(
        title,
        [
            (in_a_row(payload["datasets"]), "not shared", f"shares “{payload['name']}”"),
            ("Limit for all together", "–", f"ε {payload['limit_epsilon']}{where}"),
        ],
        [
            _TOGETHER,
            "What your datasets have lost is carried over into the shared total. The other "
            "organisation sees that total and that datasets of another organisation share it.",
            "Leaving again takes two persons and takes the whole total along.",
        ],
    )


def _limits(payload: dict[str, Any]) -> tuple[int, int]:
    return payload["into_limit_nano"], payload["other_limit_nano"]


def _budget(budget_id: str) -> Budget | None:
    return Budget.objects.filter(pk=UUID(budget_id)).first()
