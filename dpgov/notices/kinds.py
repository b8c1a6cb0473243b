"""The kinds of notices, and to which roles each can come. Pure values, no rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from dpgov.tenants.models import Role

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class Kind(TextChoices):
    """What a notice is about. The value is stored and never renamed."""

    BUDGET = "budget", _("A budget is half used, nearly used or used up")
    REQUEST = "request", _("A request waits for a decision")
    DECISION = "decision", _("A request of mine was decided")
    QUESTION = "question", _("A question of mine ended without an answer")
    REGISTRATION = "registration", _("A file of mine was registered, or was not")
    NOISE_CHECK = "noise_check", _("The noise check raised an alarm")
    HOLD = "hold", _("Datasets are held or frozen")
    NEW_DATA = "new_data", _("There is new data to look at")
    TERMS = "terms", _("A dataset that I ask about has new terms of use")
    MONTH = "month", _("The report of a month is ready")
    PING = "ping", _("A test message of a webhook")


@dataclass(frozen=True, slots=True)
class Reach:
    """Whom a kind can reach, and whether it also comes by e-mail unless somebody says otherwise."""

    roles: frozenset[Role]
    letter: bool


_OWNER, _ANALYST, _OFFICER, _ADMIN = Role.OWNER, Role.ANALYST, Role.OFFICER, Role.ADMIN

REACHES: dict[Kind, Reach] = {
    Kind.BUDGET: Reach(frozenset({_OWNER, _OFFICER, _ANALYST}), letter=False),
    Kind.REQUEST: Reach(frozenset({_OWNER, _OFFICER}), letter=True),
    Kind.DECISION: Reach(frozenset(Role), letter=True),
    Kind.QUESTION: Reach(frozenset({_ANALYST, _OWNER}), letter=False),
    Kind.REGISTRATION: Reach(frozenset({_OWNER}), letter=False),
    Kind.NOISE_CHECK: Reach(frozenset({_OFFICER, _ADMIN}), letter=True),
    Kind.HOLD: Reach(frozenset({_OWNER, _OFFICER}), letter=True),
    Kind.NEW_DATA: Reach(frozenset({_OFFICER}), letter=False),
    Kind.TERMS: Reach(frozenset({_ANALYST}), letter=False),
    Kind.MONTH: Reach(frozenset({_OFFICER}), letter=True),
}


# What a webhook is told is about everybody; where a person chooses, these are their own.
_OF_ANYBODY = {
    Kind.DECISION: _("A request was decided"),
    Kind.QUESTION: _("A question ended without an answer"),
    Kind.REGISTRATION: _("A file was registered, or was not"),
    Kind.TERMS: _("A dataset has new terms of use"),
}


def label_of_anybody(kind: Kind) -> "StrOrPromise":
    """What the kind is about where it is told to a server, and not to a person."""
    return _OF_ANYBODY.get(kind, kind.label)


def kinds_for(roles: Iterable[Role]) -> list[Kind]:
    """The kinds that can reach somebody of these roles, in the order of the list above."""
    held = frozenset(roles)
    return [kind for kind, reach in REACHES.items() if not held.isdisjoint(reach.roles)]
