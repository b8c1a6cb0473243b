"""What an entry changed: its before and after, where its detail holds both.

Reads the stored detail alone, under the names that services use for it: "before" and "after",
"before_limit" and "after_limit", and the new value of a rate beside its earlier one.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

_UNITS = {"epsilon": "ε", "rho": "ρ", "target_epsilon": "ε", "nano": gettext_lazy("nano-units")}
# The names that services use; a name that is none of them is shown as it is written.
_WORDS = {
    "description": gettext_lazy("Description"),
    "needs_allocation": gettext_lazy("Needs allocation"),
    "one_question_epsilon": gettext_lazy("One question epsilon"),
    "one_question_rho": gettext_lazy("One question rho"),
    "approval_above_epsilon": gettext_lazy("Approval above epsilon"),
    "approval_above_rho": gettext_lazy("Approval above rho"),
    "statistics": gettext_lazy("Statistics"),
    "least_error": gettext_lazy("Least error"),
    "least_price_epsilon": gettext_lazy("Least price in epsilon"),
    "least_price_rho": gettext_lazy("Least price in rho"),
    "only_ready_made": gettext_lazy("Only ready-made questions"),
    "named_only": gettext_lazy("Only named people see it"),
    "viewers": gettext_lazy("Named people"),
    "limit": gettext_lazy("Limit"),
}


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that was one way before and another way after."""

    what: str
    before: str
    after: str


def changes_in(detail: str) -> list[Change]:
    """Every pair in the detail, also within an approved change; empty where there is none."""
    try:
        known = json.loads(detail)
    except ValueError:
        return []
    return list(_pairs(known)) if isinstance(known, dict) else []


def _pairs(fields: Mapping[str, Any]) -> Iterator[Change]:
    for name, before in fields.items():
        if name == "before" and "after" in fields:
            yield Change(_("Value"), _text(before), _text(fields["after"]))
        elif name.startswith("before_"):
            what = name.removeprefix("before_")
            for after in (f"after_{what}", f"limit_{what}"):
                if after in fields:
                    yield Change(_words(what), _text(before), _text(fields[after]))
                    break
    for name in ("effect", "payload"):
        if isinstance(inner := fields.get(name), dict):
            yield from _pairs(inner)


def _words(what: str) -> str:
    if what in _UNITS:
        return _("Amount in %(unit)s") % {"unit": _UNITS[what]}
    if what in _WORDS:
        return str(_WORDS[what])
    text = what.replace("_", " ")
    return text[:1].upper() + text[1:]


def _text(value: Any) -> str:
    if value is None or value == "":
        return _("nothing")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(map(str, value)) or _("nothing")
    return str(value)
