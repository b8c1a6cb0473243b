"""What a request would change, in words that both persons understand alike.

Reads the request's own payload and the public facts that it names; never data.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.approvals.models import ChangeRequest, Kind
from dpgov.budgets.services.refunds import charged_lines
from dpgov.budgets.words import amount, limit_in_words
from dpgov.explain.weakening import weakening_of
from dpgov.limits.population_words import population_title, population_words
from dpgov.oversight.approvals.holds import hold_title, hold_words
from dpgov.oversight.approvals.roles import role_title, role_words
from dpgov.privacy.accounting.currency import PURE, Currency
from dpgov.privacy.accounting.loss import Mode, parse_delta
from dpgov.queries.models import Query
from dpgov.queries.wording.words import in_words
from dpgov.tenants.models import Membership

_HELD: dict[str, Sequence[str | Promise]] = {
    Kind.RELEASE_HELD_DATASET: (
        _("The dataset gets a budget of its own, beside those of the data that it resembles."),
        _(
            "That is right only if it is about other people. For somebody who is in both, the "
            "losses of both budgets add up, and neither limit holds for them."
        ),
    ),
    Kind.SHARE_HELD_DATASET_BUDGET: (
        _(
            "From now on questions about either dataset are charged to the one budget, as far as "
            "it is spent. The people in both keep the protection that they were promised."
        ),
    ),
    Kind.DISCARD_HELD_DATASET: (
        _("The file is deleted, and nobody will ever ask about it."),
        _("Whoever has the file may register it again; it is then compared again."),
    ),
}
_ASKED_ABOUT = (Kind.RELEASE_HELD_DATASET, Kind.SHARE_HELD_DATASET_BUDGET)


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that would change: what it is, before and after."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Described:
    """A request in words: a headline, what changes, and what that means for people in the data.

    `see` is the address of a page with more to look at before deciding.
    """

    title: str
    lines: Sequence[Line] = ()
    meaning: Sequence[str | Promise] = ()
    see: str = ""


def described(request: ChangeRequest) -> Described:
    """The request in words."""
    match request.kind:
        case Kind.RAISE_LIMIT:
            return _raise(request)
        case Kind.REFUND:
            return _refund(request)
    if request.kind in _HELD:
        return _held(request)
    told = population_words(request) or hold_words(request) or role_words(request)
    if told is not None:
        return Described(told.title, [Line(*row) for row in told.rows], told.meaning)
    return _as_written(request)


def headline(request: ChangeRequest) -> str:
    """One line for lists; asks nothing of the database."""
    payload, about = request.payload, request.dataset or request.subject
    if request.kind == Kind.RAISE_LIMIT:
        pattern = gettext("Raise the limit of {about} from ε {before} to ε {after}")
        if "delta" in payload:
            pattern = gettext(
                "Raise the limit of {about} from ε {before} to ε {after} at δ {delta}"
            )
        return pattern.format(
            about=about,
            before=payload["before_epsilon"],
            after=payload["after_epsilon"],
            delta=payload.get("delta"),
        )
    if request.kind == Kind.REFUND:
        sign, cost = ("ρ", payload["rho"]) if "rho" in payload else ("ε", payload["epsilon"])
        pattern = gettext("Refund {amount} of a question about {about}")
        return pattern.format(amount=f"{sign} {cost}", about=about)
    if request.kind in _HELD:
        return f"{request.title}: {payload['name']}"
    told = population_title(request) or hold_title(request) or role_title(request)
    return told or f"{request.title}: {about}"


def _raise(request: ChangeRequest) -> Described:
    payload = request.payload
    before, after = payload["before_epsilon"], payload["after_epsilon"]
    delta = payload.get("delta", "")
    pattern = gettext("ε {epsilon} at δ {delta}") if delta else "ε {epsilon}"
    limits = [pattern.format(epsilon=epsilon, delta=delta) for epsilon in (before, after)]
    return Described(
        headline(request),
        [Line(gettext("Limit on ε"), *limits)],
        weakening_of(
            (before, after),
            (payload["before_nano"], payload["after_nano"]),
            Currency(Mode.ZCDP, parse_delta(delta)) if delta else PURE,
        ),
    )


def _refund(request: ChangeRequest) -> Described:
    query_id = UUID(request.payload["query"])
    query = Query.objects.select_related("analyst").get(pk=query_id)
    charges = charged_lines(query_id)
    lines = [
        Line(
            _upper_first(limit_in_words(charge.budget)),
            gettext("{amount} charged").format(
                amount=amount(charge.amount_nano, charge.budget.currency)
            ),
            gettext("given back"),
        )
        for charge in charges
    ]
    return Described(
        headline(request),
        lines,
        [
            gettext("The question: {question}. Asked by {person}.").format(
                question=in_words(query.plan), person=query.analyst
            ),
            _(
                "It failed before its data was opened, so nothing about anybody can have come out. "
                "That is the only case in which a charge is given back."
            ),
            _("What the question counted for in a day, a week or a month stays counted."),
        ],
    )


def _held(request: ChangeRequest) -> Described:
    payload = request.payload
    budget, state = gettext("none"), gettext("deleted")
    if request.kind in _ASKED_ABOUT:
        budget, state = gettext("its own"), gettext("may be asked about")
    return Described(
        headline(request),
        [
            Line(gettext("Dataset"), gettext("held for a compliance check"), state),
            Line(gettext("Budget"), "–", payload.get("earlier_name", budget)),
        ],
        _HELD[request.kind],
        reverse("datasets:held", args=[payload["held_dataset"]]) if request.is_waiting else "",
    )


def _as_written(request: ChangeRequest) -> Described:
    """A request whose payload speaks for itself."""
    lines = [
        Line(_upper_first(name.replace("_", " ")), "", _text(value))
        for name, value in request.payload.items()
    ]
    return Described(headline(request), lines)


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _upper_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def any_of(people: Sequence[Membership]) -> str:
    """ "a@x (Data owner), b@x (Compliance officer) or c@x (Compliance officer)"."""
    named = [f"{person.user} ({person.get_role_display()})" for person in people]
    if len(named) < 2:
        return "".join(named)
    return gettext("{some} or {last}").format(some=", ".join(named[:-1]), last=named[-1])
