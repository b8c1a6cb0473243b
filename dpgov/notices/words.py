"""How a notice is said, on the page, in a letter and to a webhook: one sentence, and where to look.

Must never say more than a page would show to whoever is told.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from django.conf import settings
from django.urls import NoReverseMatch, reverse
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext, pgettext_lazy

from dpgov.approvals.kinds import kind_of
from dpgov.language.translation import percent
from dpgov.notices.kinds import Kind

_NAME = re.compile(r"\{(\w+)\}")
# What comes after "half of".
_BUDGETS = {
    "dataset": pgettext_lazy("half of", "the budget of {dataset}"),
    "shared_budget": pgettext_lazy("half of", "the shared budget {shared_budget}"),
    "allocation": pgettext_lazy("half of", "your allocation of {dataset}"),
    "project": pgettext_lazy("half of", "what the project {project} may use of {dataset}"),
}
_EIGHTY = 80
_LEVELS = {
    50: _("Half of {what} is used or reserved."),
    80: _("{share} of {what} is used or reserved: soon nothing can be asked any more."),
    100: _("All of {what} is used or reserved: nothing more can be asked."),
}
_QUESTIONS = {
    "failed": _("A question about {dataset} failed. It was charged."),
    "restored": _(
        "A question about {dataset} was ended after a restore, because it may have been answered "
        "before. It was charged."
    ),
    "voided": _("A question about {dataset} could not be run. It cost nothing."),
    "expired": _("A question about {dataset} expired before it was run. It cost nothing."),
}
_REGISTRATIONS = {
    "done": _("{file} was read and recorded: {dataset}."),
    "refused": _("{file} was not registered. What you uploaded and typed is kept."),
}
_DERIVED = {
    "done": _("Two datasets were put together: {dataset}."),
    "refused": _("Two datasets could not be put together. Open it to see why."),
}
_DECISIONS = {
    "approved": _("The request “{title}” was approved and carried out."),
    "rejected": _("The request “{title}” was rejected."),
    "stale": _("The request “{title}” was not carried out: things had changed meanwhile."),
}
_APPROVALS = {
    "": _("An analyst asks you to approve a question about {dataset}."),
    "granted": _("Your question about {dataset} was approved: you can ask it now."),
    "declined": _("Your question about {dataset} was not approved. Open it to see why."),
    "stale": _("Your question about {dataset} was not approved: things had changed meanwhile."),
}
_BUDGET_REQUESTS = {
    "": _("An analyst asks for budget of {dataset}."),
    "granted": _("Your request for budget of {dataset} was granted."),
    "passed_on": _(
        "Your request for budget of {dataset} was passed on: a compliance officer decides."
    ),
    "declined": _("Your request for budget of {dataset} was declined. Open it to see why."),
    "stale": _("Your request for budget of {dataset} was not granted: things had changed."),
}
_ALARMS = {
    "broken": _(
        "The noise check found a statistic that loses more privacy than it is charged for."
    ),
    "cannot tell": _("The noise check could not tell whether every statistic keeps its promise."),
}
_HOLDS = {
    "dataset": _("The dataset {dataset} is held for a compliance check."),
    "begins": _("A compliance officer has looked at {dataset}: it can be asked about now."),
    "frozen": _("Datasets are frozen: this database may be older than its last answers."),
}
_NEW_DATA = _("New data came: {dataset}. Look whether its people have a budget already.")
_TERMS = _("There are new terms of use for {dataset}. Accept them before your next question.")
_REQUEST = _("“{title}” was requested and waits for a decision.")
_MONTH = _("The report of {month} is ready to be read and signed.")
_PING = _("This is a test message. It was sent from the page of webhooks.")
# What says the same whatever the detail holds.
_ALWAYS: Mapping[str, object] = {
    Kind.REQUEST: _REQUEST,
    Kind.NEW_DATA: _NEW_DATA,
    Kind.TERMS: _TERMS,
    Kind.MONTH: _MONTH,
    Kind.PING: _PING,
}


def sentence(kind: str, detail: Mapping[str, Any]) -> str:
    """The event in one sentence; a kind that this version does not know is its bare name."""
    return (
        _filled(_pattern(kind, detail), {"share": percent(_EIGHTY), **named(kind, detail)}) or kind
    )


def named(kind: str, detail: Mapping[str, Any]) -> Mapping[str, Any]:
    """The detail, and what it is about in the reader's language."""
    if kind == Kind.BUDGET:
        archived = pgettext("the budget of", "an archived dataset")
        return {**detail, "what": _filled(_BUDGETS[detail["of"]], {"dataset": archived, **detail})}
    if kind == Kind.MONTH:
        first = date.fromisoformat(f"{detail['month']}-01")
        return {**detail, "month": date_format(first, "F Y")}
    if "change" in detail:
        label, dataset = kind_of(detail["change"]).label, detail.get("dataset")
        return {**detail, "title": f"{label}: {dataset}" if dataset else str(label)}
    return detail


def _filled(text: object, names: Mapping[str, Any]) -> str:
    """In one go: a dataset that is called “{title}” keeps its name."""
    return _NAME.sub(lambda found: str(names.get(found[1], found[0])), str(text))


def _pattern(kind: str, detail: Mapping[str, Any]) -> object:
    if "approval" in detail:
        return _APPROVALS.get(detail.get("state", ""), "")
    if "budget_request" in detail:
        return _BUDGET_REQUESTS.get(detail.get("state", ""), "")
    text: object = _ALWAYS.get(kind, "")
    match kind:
        case Kind.BUDGET:
            text = _LEVELS.get(detail.get("percent", 0), "")
        case Kind.DECISION:
            text = _DECISIONS.get(detail.get("state", ""), "")
        case Kind.QUESTION:
            text = _QUESTIONS.get(detail.get("state", ""), "")
        case Kind.REGISTRATION if "arrival" in detail:
            text = _DERIVED.get(detail.get("state", ""), "")
        case Kind.REGISTRATION:
            text = _REGISTRATIONS.get(detail.get("state", ""), "")
        case Kind.NOISE_CHECK:
            text = _ALARMS.get(detail.get("verdict", ""), "")
        case Kind.HOLD:
            text = _HOLDS.get(detail.get("what", ""), "")
    return text


def page_of(kind: str, detail: Mapping[str, Any]) -> str:
    """The path of the page that shows more; "" where there is none."""
    if sent := detail.get("approval") or detail.get("budget_request"):
        return _path("queries:budget_request", sent)
    if "arrival" in detail:
        return _path("datasets:deriving", detail["arrival"])
    return _page_of_kind(kind, detail)


# The page of a kind, and what of its detail stands in the address.
_PAGES: Mapping[str, tuple[str, ...]] = {
    Kind.REQUEST: ("oversight:approval", "request"),
    Kind.DECISION: ("oversight:approval", "request"),
    Kind.QUESTION: ("queries:detail", "query"),
    Kind.REGISTRATION: ("datasets:reading", "upload"),
    Kind.HOLD: ("datasets:list",),
    Kind.NEW_DATA: ("datasets:new_data",),
    Kind.TERMS: ("datasets:terms", "slug"),
}


def _page_of_kind(kind: str, detail: Mapping[str, Any]) -> str:
    match kind:
        case Kind.BUDGET:
            own = _path("dashboards:budget", detail.get("slug"))
            return own or _path("limits:shared_budgets")
        case Kind.DECISION if page := kind_of(detail["change"]).page:
            return _path(page)
        case Kind.HOLD if detail.get("what") == "frozen":
            return _path("oversight:frozen")
        case Kind.MONTH:
            return f"{reverse('oversight:month')}?month={detail['month']}"
    name, *of_detail = _PAGES.get(kind, ("",))
    return _path(name, *map(detail.get, of_detail)) if name else ""


def whole_address(path: str) -> str:
    """The path with the address of this installation before it, where that is known."""
    return f"{settings.DPGOV_BASE_URL}{path}" if settings.DPGOV_BASE_URL and path else ""


def _path(name: str, *args: Any) -> str:
    try:
        return "" if None in args else reverse(name, args=args)
    except NoReverseMatch:
        return ""
