"""Notices by e-mail: each letter is claimed, sent outside of any transaction, and noted.

A crash between sending and noting sends it once more, under the same Message-ID, by which mail
programs know a repetition. Whoever is no member any more, has none of the roles that it is for, or
does not see the dataset that it is about, is told nothing.
"""

import math
from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID

import structlog
from django.core.mail import EmailMessage
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from dpgov.notices.delivery.pauses import GIVEN_UP_AFTER, next_try, pausing
from dpgov.notices.kinds import REACHES, Kind
from dpgov.notices.models import Event, Notice, State
from dpgov.notices.selectors import about_seen
from dpgov.notices.words import page_of, sentence, whole_address
from dpgov.operation import clock
from dpgov.operation.clock import Now
from dpgov.tenants.letters import language_of
from dpgov.tenants.mail_server import LetterRefused, MailServer, MailServerAway
from dpgov.tenants.models import Membership
from dpgov.tenants.roles import having

# What one organisation may take of a round: so many letters, so many seconds.
_ROUND, _SECONDS = 50, 10.0
_log = structlog.get_logger("dpgov.notices")


class Enclosure(NamedTuple):
    """A file that goes with a letter."""

    name: str
    content: bytes
    content_type: str


# Of an event what this reader, a member now, is sent with the letter.
Enclose = Callable[[Event, Membership], Enclosure | None]


def nothing(_event: Event, _reader: Membership) -> None:
    """No letter has an enclosure."""


def send_letters(tenant_id: UUID, enclose: Enclose = nothing, *, until: float = math.inf) -> int:
    """Send what is due, oldest first; returns how many were sent. Never inside a transaction.

    A mail server that is away ends the round; an address that it refuses does not, and is tried
    again later. What there is no time for, by `clock.running`, waits for the next round.
    """
    _give_up_old(tenant_id)
    over, sent = min(until, clock.running() + _SECONDS), 0
    with MailServer() as server:
        for notice in _due(tenant_id)[:_ROUND]:
            if clock.running() >= over:
                break
            if not _claim(notice):
                continue
            try:
                sent += _send(notice, enclose, server)
            except MailServerAway as away:
                _say(away)
                break
    return sent


def _due(tenant_id: UUID) -> QuerySet[Notice]:
    waiting = _waiting(tenant_id).filter(~pausing(), due_at__lte=Now())
    return waiting.select_related("event", "person", "tenant").order_by("next_attempt_at", "id")


def _waiting(tenant_id: UUID) -> QuerySet[Notice]:
    return Notice.objects.filter(tenant_id=tenant_id, letter=State.WAITING)


def _give_up_old(tenant_id: UUID) -> None:
    old = _waiting(tenant_id).filter(attempts__gt=0, due_at__lt=clock.now() - GIVEN_UP_AFTER)
    if old.exists():
        old.update(letter=State.GIVEN_UP)


def _claim(notice: Notice) -> bool:
    """One try for one sender: whoever counts it up first."""
    mine = Notice.objects.filter(pk=notice.pk, letter=State.WAITING, attempts=notice.attempts)
    pause = next_try(notice.attempts + 1, clock.now())
    return bool(mine.update(attempts=notice.attempts + 1, next_attempt_at=pause))


def _send(notice: Notice, enclose: Enclose, server: MailServer) -> bool:
    """Whether there is nothing left to try."""
    rows, reader = Notice.objects.filter(pk=notice.pk), _reader(notice)
    if reader is None:
        rows.update(letter=State.GIVEN_UP)
        return True
    letter = _letter(notice)
    if (enclosure := enclose(notice.event, reader)) is not None:
        letter.attach(*enclosure)
    try:
        server.send(letter)
    except LetterRefused as refusal:
        _say(refusal)
        return False
    rows.update(letter=State.SENT)
    return True


def _say(problem: Exception) -> None:
    _log.warning("a letter was not sent", kind=type(problem.__cause__).__name__)


def _reader(notice: Notice) -> Membership | None:
    """Who it is for, as what they are now; None for somebody whom it does not concern any more."""
    members = Membership.objects.filter(
        having(*REACHES[Kind(notice.event.kind)].roles),
        tenant_id=notice.tenant_id,
        user_id=notice.person_id,
        user__is_active=True,
    )
    member = members.select_related("tenant").first()
    if member is None or not Notice.objects.filter(about_seen(member), pk=notice.pk).exists():
        return None
    return member


def _letter(notice: Notice) -> EmailMessage:
    with language_of(notice.person):
        words = sentence(notice.event.kind, notice.event.detail)
        why = _("Which e-mails you get is for you to choose: in your notification settings.")
    where = whole_address(page_of(notice.event.kind, notice.event.detail))
    rest = f"{where}\n\n" if where else ""
    choices = whole_address(reverse("notices:list"))
    return EmailMessage(
        subject=" ".join(f"{notice.tenant.name}: {words}".split())[:200],
        body=f"{words}\n\n{rest}{why}\n" + (f"{choices}\n" if choices else ""),
        to=[notice.person.email],
        headers={"Message-ID": f"<{notice.pk}@notices.dpgov>", "Auto-Submitted": "auto-generated"},
    )
