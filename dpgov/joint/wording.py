"""What is shown of a joint question: how it stands, who takes part, what it costs and how exact."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from dpgov.joint import crossing
from dpgov.joint.models import JointQuestion, Party
from dpgov.joint.services.prepared import Proposal, asked_of, joint_of_party
from dpgov.joint.services.sharing import ENDED_AFTER
from dpgov.operation.clock import database_now
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.joint.total import Joint
from dpgov.privacy.plan.by_calendar import CalendarPart
from dpgov.queries.models import Query
from dpgov.queries.wording.dates import PARTS_IN_WORDS
from dpgov.queries.wording.words import statistic_in_words

PROPOSED, GATHERING, KEYS, OPENED = "proposed", "gathering", "keys", "opened"
ANSWERED, FAILED, ENDED = "answered", "failed", "ended"
STATES = (PROPOSED, GATHERING, KEYS, OPENED, ANSWERED, FAILED, ENDED)
_OVER = {
    Query.State.RELEASED: ANSWERED,
    Query.State.FAILED: FAILED,
    Query.State.VOIDED: ENDED,
    Query.State.EXPIRED: ENDED,
}


@dataclass(frozen=True, slots=True)
class ShownParty:
    """A party as all of them see it; `fingerprint` is of its key, `missing` once it is too late."""

    name: str
    fingerprint: str
    there: bool
    missing: bool


@dataclass(frozen=True, slots=True)
class View:
    """How it stands for one organisation: a code, a sentence, everybody, and until when."""

    state: str
    sentence: str
    sides: tuple[ShownParty, ...]
    until: datetime | None = None


def view_of(question: JointQuestion, party: Party | None) -> View:
    """As this organisation sees it."""
    there = crossing.standing(question.pk) if party is not None else []
    state = _state(question, party, there)
    sides = tuple(
        ShownParty(
            one.name,
            _fingerprint(one.public_key),
            there=one.holds or question.opened_at is not None,
            missing=state == FAILED and not one.sent,
        )
        for one in there
    )
    until = None
    if state in (PROPOSED, GATHERING, KEYS):
        until = question.expires_at
    elif state == OPENED and question.opened_at is not None:
        until = question.opened_at + ENDED_AFTER
    return View(state, _sentence(state, question, there), sides, until)


def _state(
    question: JointQuestion, party: Party | None, there: list[crossing.PartyStanding]
) -> str:
    if party is None:
        return PROPOSED if question.expires_at > database_now() else ENDED
    if over := _OVER.get(Query.State(party.query.state)):
        return over
    if question.opened_at is not None:
        return OPENED
    return GATHERING if len(there) < question.parties else KEYS


def _sentence(state: str, question: JointQuestion, there: list[crossing.PartyStanding]) -> str:
    numbers = {"there": len(there), "parties": question.parties}
    absent = ", ".join(one.name for one in there if not one.public_key)
    sentences = {
        PROPOSED: _("Your organisation does not take part yet. Nothing is reserved."),
        GATHERING: _(
            "%(there)s of %(parties)s organisations take part. Nothing is charged before all do."
        )
        % numbers,
        KEYS: _("All organisations take part. Waiting for the workers of: %(names)s.")
        % {"names": absent or _("nobody")},
        OPENED: _("Opened and charged. The total appears when every organisation has answered."),
        ANSWERED: _("Answered: the same total went to all organisations."),
        FAILED: _("Failed and charged: at least one organisation sent nothing in time."),
        ENDED: _("Ended before it was opened. Nothing was charged."),
    }
    return sentences[state]


def _fingerprint(public_key: str) -> str:
    """Short enough to be read out, long enough to be nobody else's."""
    if not public_key:
        return ""
    digest = hashlib.sha256(bytes.fromhex(public_key)).hexdigest()[:24]
    return " ".join(digest[at : at + 4] for at in range(0, len(digest), 4))


@dataclass(frozen=True, slots=True)
class JointQuote:
    """What it costs each party, how exact the total is, and how exact a pooled table's would be."""

    rho: str
    error: Any
    pooled: Any
    ratio: float


def price_of(joint: Joint) -> JointQuote:
    """From the plan, the declarations and the numbers of parties alone."""
    error, pooled = joint.expected_error()
    return JointQuote(as_text(joint.blueprint.cost_nano), error, pooled, joint.ratio)


def price_for(
    party: Party | None, question: JointQuestion, datasets: list[Any]
) -> JointQuote | None:
    """Of one's own part, or of the first dataset that could take part; None where none could.

    Of one's own part as it was when it joined: its dataset may be declared otherwise by now.
    """
    if party is not None:
        return price_of(joint_of_party(party))
    return price_of(asked_of(datasets[0], Proposal.of(question))[1]) if datasets else None


def asked_words(plan: dict[str, Any]) -> str:
    """All that a plan of a joint question asks: what its owner agrees to, hence nothing cut off.

    A computed column is named by its formula.
    """
    (statistic,) = plan["statistics"]
    words = statistic_in_words(statistic)
    groups = [_group_words(grouping) for grouping in plan["group_by"]]
    return _("%(words)s by %(group)s") % {"words": words, "group": groups[0]} if groups else words


def _group_words(grouping: dict[str, Any]) -> str:
    """The column, with its edges, the part of the calendar or its categories."""
    column, edges, part = grouping["column"], grouping.get("edges"), grouping.get("by")
    if edges:
        listed = ", ".join(str(edge) for edge in edges)
        return _("%(column)s, with edges at %(edges)s") % {"column": column, "edges": listed}
    if part:
        words = PARTS_IN_WORDS[CalendarPart(part)]()
        return _("%(column)s by %(part)s") % {"column": column, "part": words}
    categories = ", ".join(str(category) for category in grouping.get("categories") or [])
    return f"{column} ({categories})" if categories else str(column)
