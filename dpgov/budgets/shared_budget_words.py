"""What a request about a shared budget would change, in words for both persons.

Reads the request's own payload and the tenant's own ledger rows; of another organisation nothing
but the total.
"""

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from dpgov.approvals.kinds import Told
from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.models import Budget
from dpgov.budgets.services.dividing import merged_limit
from dpgov.budgets.services.invitations import LIFETIME
from dpgov.budgets.words import limit_text, together
from dpgov.language.translation import in_a_row
from dpgov.privacy.accounting.loss import PURE

_TOGETHER = gettext_lazy(
    "Joining only makes the guarantee stronger: one limit holds for all of these datasets "
    "together, beside the limit of each."
)


def merge_title(request: ChangeRequest) -> str:
    """Which ends in which."""
    into, other = request.payload["names"]
    return _("Merge the shared budget “%(other)s” into “%(into)s”") % {
        "other": other,
        "into": into,
    }


def merge_told(request: ChangeRequest) -> Told:
    """One limit and one total, where there were two."""
    payload = request.payload
    (into_name, other_name), limits = payload["names"], _limits(payload)
    into, other = _budget(payload["into"]), _budget(payload["other"])
    currency = PURE if into is None else into.currency
    limit = _("limit %(amount)s") % {"amount": together(limits[1], currency)}
    rows = [(f"“{other_name}”", limit, _("ends"))]
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
                _("Committed in “%(name)s”") % {"name": into_name},
                together(into.committed_nano, currency),
                together(into.committed_nano + other.committed_nano, currency),
            )
        )
    return Told(
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


def divide_title(request: ChangeRequest) -> str:
    """Who leaves what."""
    return _("Take %(names)s out of “%(name)s”") % {
        "names": _leaving(request.payload),
        "name": request.payload["from"],
    }


def divide_told(request: ChangeRequest) -> Told:
    """Two limits, where there was one."""
    payload, shared_budget = request.payload, _budget(request.payload["shared_budget"])
    limit, names = payload["limit_nano"], _leaving(payload)
    rows = [(names, _shares(payload["from"]), _shares(payload["name"]))]
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
    if shared_budget is not None:
        worst = limit + max(0, limit - shared_budget.committed_nano)
        lost = _(
            "A person who is on both sides after all could lose up to %(worst)s, where %(limit)s "
            "was promised."
        )
        most = together(worst, shared_budget.currency)
        meaning.append(lost % {"worst": most, "limit": limit_text(shared_budget)})
    return Told(rows, meaning)


def _leaving(payload: dict[str, Any]) -> str:
    archived, pattern = payload.get("archived", ()), _("%(name)s (archived)")
    names = payload["datasets"]
    return in_a_row([pattern % {"name": name} if name in archived else name for name in names])


def _shares(name: str) -> str:
    return _("shares “%(name)s”") % {"name": name}


def share_title(request: ChangeRequest) -> str:
    """Which is offered."""
    return _("Share “%(name)s” with another organisation") % {"name": request.payload["name"]}


def share_told(request: ChangeRequest) -> Told:
    """A code, and what whoever enters it sees."""
    one = _("one, for %(days)s days and one use") % {"days": LIFETIME.days}
    return Told(
        [(_("Code for another organisation"), pgettext("no code", "none"), one)],
        [
            _("The person who approves sees the code, once, and hands it over."),
            _(
                "Who enters it sees the name “%(name)s”, its limit and how much of it is "
                "committed. Of your datasets, people and questions they see nothing; of theirs you "
                "see nothing."
            )
            % {"name": request.payload["name"]},
            _(
                "What they had lost before is carried over, and what they ask leaves less for you. "
                "The limit cannot be raised while they share it."
            ),
        ],
    )


def accept_title(request: ChangeRequest) -> str:
    """Which is entered."""
    return _("Share “%(name)s” of another organisation") % {"name": request.payload["name"]}


def accept_told(request: ChangeRequest) -> Told:
    """One limit more, and a total that another organisation sees."""
    payload = request.payload
    limit = f"ε {payload['limit_epsilon']}"
    if "delta" in payload:
        limit = _("%(limit)s at δ %(delta)s") % {"limit": limit, "delta": payload["delta"]}
    return Told(
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
