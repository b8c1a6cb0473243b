"""Kinds of change that take two persons: what is known of each, said once.

A kind is one entry in `changes.py` of the room that carries it out, registered by its app; lists,
pages, notices and decisions read it here. Must never name a kind itself.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.functional import Promise

from dpgov.approvals.models import ChangeRequest
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission


class Second(Enum):
    """Who decides, as the second person; never about themselves."""

    OFFICER = auto()
    # What concerns owners as much as officers: an owner may, when it was an officer who asked.
    OFFICER_OR_OWNER = auto()


@dataclass(frozen=True, slots=True)
class Effect:
    """What carrying a change out has done: `detail` for the log, `shown_once` for the approver.

    `shown_once` is stored nowhere, such as the code of an invitation. `afterwards` is what is left
    to do once it is committed, such as a letter; it is given what makes a whole address of a path.
    """

    detail: Mapping[str, Any] = field(default_factory=dict)
    shown_once: str = ""
    afterwards: Callable[[Callable[[str], str]], object] | None = None


CarryOut = Callable[[ChangeRequest], Effect]


@dataclass(frozen=True, slots=True)
class Told:
    """What would change, each with what it is before and after, and what that means for people.

    `see` is the address of a page with more to look at before deciding.
    """

    rows: Sequence[tuple[str, str, str]] = ()
    meaning: Sequence[str | Promise] = ()
    see: str = ""


_BY_SUBJECT = {"dataset": "pk", "budget": "budget"}


def of_its_subject(request: ChangeRequest) -> Q:
    """The dataset itself, or those whose budget it is; none where it is about anything else."""
    about, _, identity = request.subject.partition(":")
    try:
        return Q(**{_BY_SUBJECT[about]: UUID(identity)})
    except (KeyError, ValueError):
        return Q(pk__in=())


@dataclass(frozen=True, slots=True)
class ChangeKind:
    """One kind. `value` is stored and never renamed; `label` names it where little room is.

    `title` is one line for lists and asks nothing of the database; `describe` is for whoever
    decides. `carry_out` runs in the transaction of the approval and raises Stale when things have
    changed. `page` is named where whoever asked does not see the page of the request. `seen` says
    which of its requests are for this member to see, where that is not every one. `about` is a
    condition on the organisation's datasets: those that a request is about.
    """

    value: str
    label: Promise
    carry_out: CarryOut
    title: Callable[[ChangeRequest], str]
    describe: Callable[[ChangeRequest], Told]
    second: Second = Second.OFFICER
    asked_with: Permission = Permission.REQUEST_CHANGES
    page: str = ""
    seen: Callable[[Membership], Q] | None = None
    about: Callable[[ChangeRequest], Q] = of_its_subject


_kinds: dict[str, ChangeKind] = {}


def register(kinds: Iterable[ChangeKind]) -> None:
    """Make them known; a value belongs to one kind."""
    for kind in kinds:
        if _kinds.setdefault(kind.value, kind) is not kind:
            raise ValueError(f"{kind.value} is registered twice")


def kind_of(value: str) -> ChangeKind:
    """The kind with this value; KeyError when no room registered it."""
    return _kinds[value]


def title_of(request: ChangeRequest) -> str:
    """The request in one line; asks nothing of the database."""
    return kind_of(request.kind).title(request)


def kinds_decided_by(second: Second) -> list[str]:
    """The values of all kinds that these decide."""
    return [kind.value for kind in _kinds.values() if kind.second is second]


def seen_by(membership: Membership) -> Q:
    """Which requests this member sees, of those that anybody with the permission does."""
    rules: dict[Callable[[Membership], Q], list[str]] = {}
    for kind in _kinds.values():
        if kind.seen is not None:
            rules.setdefault(kind.seen, []).append(kind.value)
    found = Q()
    for rule, values in rules.items():
        found &= ~Q(kind__in=values) | rule(membership)
    return found


def carry_out(request: ChangeRequest) -> Effect:
    """Do what was requested, in the room that owns it."""
    return kind_of(request.kind).carry_out(request)
