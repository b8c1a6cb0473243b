"""What a request about a shared budget would change, in words for both persons.

Reads the request's own payload and the tenant's own ledger rows; of another organisation nothing
but the total.
"""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from dpgov.approvals.models import ChangeRequest, Kind
from dpgov.budgets.models import Budget
from dpgov.budgets.services.dividing import merged_limit
from dpgov.budgets.services.invitations import LIFETIME
from dpgov.budgets.words import limit_text, together
from dpgov.limits.populations import in_a_row
from dpgov.privacy.accounting.currency import PURE

Row = tuple[str, str, str]
_TOGETHER = gettext_lazy(
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
                merge = _("Merge the shared budget “%(other)s” into “%(into)s”")
                return merge % {"other": other, "into": into}
            case Kind.SPLIT_POPULATION | Kind.LEAVE_POPULATION:
                names = in_a_row(payload["datasets"])
                return _("Take %(names)s out of “%(name)s”") % {
                    "names": names,
                    "name": payload["from"],
                }
            case Kind.SHARE_POPULATION:
                share = _("Share “%(name)s” with another organisation")
                return share % {"name": payload["name"]}
            case Kind.ACCEPT_POPULATION:
                accept = _("Share “%(name)s” of another organisation")
                return accept % {"name": payload["name"]}
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
    limit = _("limit %(amount)s") % {"amount": together(limits[1], currency)}
    rows: list[Row] = [(f"“{other_name}”", limit, _("ends"))]
    if into is not None and other is not None and other.closed_at is None:
        rows.append(
            (
                _("Limit of “%(name)s”") % {"name": into_name},
                together(limits[0], currency),
                together(merged_limit(into, other), currency),
            )
        )
        rows.append(
            (
                _("Committed of “%(name)s”") % {"name": into_name},
                together(into.committed_nano, currency),
                together(into.committed_nano + other.committed_nano, currency),
            )
        )
    return Told(
        title,
        rows,
        [
            _(
                "All datasets of both share one limit from then on: the smaller of the two, or "
                "what is already committed where that is more; then nothing remains."
            ),
            str(_TOGETHER),
            _("Taking them apart again does not give back what was carried over."),
        ],
    )


def _divide(title: str, payload: dict[str, Any], population: Budget | None) -> Told:
    limit, names = payload["limit_nano"], in_a_row(payload["datasets"])
    rows: list[Row] = [(names, _shares(payload["from"]), _shares(payload["name"]))]
    meaning = [
        _(
            "Questions about %(names)s leave no less for the other datasets any more, and the "
            "other way round. That is right only if they are about different people."
        )
        % {"names": names},
        _(
            "“%(name)s” begins with the limit of “%(from)s” and with everything that is committed "
            "there, because nobody can tell whose losses those were."
        )
        % {"name": payload["name"], "from": payload["from"]},
    ]
    if population is not None:
        worst = limit + max(0, limit - population.committed_nano)
        lost = _(
            "Somebody who is on both sides after all could lose up to %(worst)s, where %(limit)s "
            "was promised."
        )
        most = together(worst, population.currency)
        meaning.append(lost % {"worst": most, "limit": limit_text(population)})
    return Told(title, rows, meaning)


def _shares(name: str) -> str:
    return _("shares “%(name)s”") % {"name": name}


def _share(title: str, payload: dict[str, Any]) -> Told:
    one = _("one, for %(days)s days and one use") % {"days": LIFETIME.days}
    return Told(
        title,
        [(_("Code for another organisation"), pgettext("no code", "none"), one)],
        [
            _("Whoever approves sees the code, once, and hands it over."),
            _(
                "Who enters it sees the name “%(name)s”, its limit and how much of it is "
                "committed. Of your datasets, people and questions they see nothing; of theirs you "
                "see nothing."
            )
            % {"name": payload["name"]},
            _(
                "What they had lost before is carried over, and what they ask leaves less for you. "
                "The limit cannot be raised while they share it."
            ),
        ],
    )


def _accept(title: str, payload: dict[str, Any]) -> Told:
    limit = f"ε {payload['limit_epsilon']}"
    if "delta" in payload:
        limit = _("%(limit)s at δ %(delta)s") % {"limit": limit, "delta": payload["delta"]}
    return Told(
        title,
        [
            (in_a_row(payload["datasets"]), _("not shared"), _shares(payload["name"])),
            (_("Limit for all together"), "–", limit),
        ],
        [
            str(_TOGETHER),
            _(
                "What your datasets have lost is carried over into the shared total. The other "
                "organisation sees that total and that datasets of another organisation share it."
            ),
            _("Leaving again takes two persons and takes the whole total along."),
        ],
    )


def _limits(payload: dict[str, Any]) -> tuple[int, int]:
    return payload["into_limit_nano"], payload["other_limit_nano"]


def _budget(budget_id: str) -> Budget | None:
    return Budget.objects.filter(pk=UUID(budget_id)).first()
