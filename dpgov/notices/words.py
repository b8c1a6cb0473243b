"""How a notice is said, on the page, in a letter and to a webhook: one sentence, and where to look.

Must never say more than a page would show to whoever is told.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.urls import NoReverseMatch, reverse

from dpgov.notices.kinds import Kind

_LEVELS = {
    50: "Half of {what} is used or reserved.",
    80: "80 % of {what} is used or reserved: soon nothing can be asked any more.",
    100: "All of {what} is used or reserved: nothing more can be asked.",
}
_QUESTIONS = {
    "failed": "A question about {dataset} failed. It was charged.",
    "voided": "A question about {dataset} could not be run. It cost nothing.",
    "expired": "A question about {dataset} expired before it was run. It cost nothing.",
}
_DECISIONS = {
    "approved": "The request “{title}” was approved and carried out.",
    "rejected": "The request “{title}” was rejected.",
    "stale": "The request “{title}” was not carried out: things had changed meanwhile.",
}
_ALARMS = {
    "broken": "The self-audit found a statistic that loses more privacy than it is charged for.",
    "cannot tell": "The self-audit could not tell whether every statistic keeps its promise.",
}
_HOLDS = {
    "dataset": "The dataset {dataset} is held for a compliance check.",
    "frozen": "Datasets are frozen: this database may be older than its last answers.",
}
_PING = "This is a test message. Somebody asked for it on the page of webhooks."


def sentence(kind: str, detail: Mapping[str, Any]) -> str:
    """The event in one sentence; a kind that this version does not know is its bare name."""
    match kind:
        case Kind.BUDGET:
            text = _LEVELS.get(detail.get("percent", 0), "")
        case Kind.REQUEST:
            text = "“{title}” was requested and waits for a decision."
        case Kind.DECISION:
            text = _DECISIONS.get(detail.get("state", ""), "")
        case Kind.QUESTION:
            text = _QUESTIONS.get(detail.get("state", ""), "")
        case Kind.SELF_AUDIT:
            text = _ALARMS.get(detail.get("verdict", ""), "")
        case Kind.HOLD:
            text = _HOLDS.get(detail.get("what", ""), "")
        case _:
            text = _PING if kind == Kind.PING else ""
    for name, value in detail.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text or kind


def page_of(kind: str, detail: Mapping[str, Any]) -> str:
    """The path of the page that shows more; "" where there is none."""
    match kind:
        case Kind.BUDGET:
            return _path("dashboards:budget", detail.get("slug")) or _path("dashboards:populations")
        case Kind.REQUEST | Kind.DECISION:
            return _path("dashboards:approval", detail.get("request"))
        case Kind.QUESTION:
            return _path("queries:detail", detail.get("query"))
        case Kind.HOLD if detail.get("what") == "frozen":
            return _path("dashboards:frozen")
        case Kind.HOLD:
            return _path("datasets:list")
    return ""


def whole_address(path: str) -> str:
    """The path with the address of this installation before it, where that is known."""
    return f"{settings.DPGOV_BASE_URL}{path}" if settings.DPGOV_BASE_URL and path else ""


def _path(name: str, *args: Any) -> str:
    try:
        return "" if None in args else reverse(name, args=args)
    except NoReverseMatch:
        return ""
