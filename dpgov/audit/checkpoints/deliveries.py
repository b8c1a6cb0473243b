"""Checkpoints on their way out of the database: to the folder, a webhook, by e-mail.

A delivery that fails is tried again, later each time, and stays visible until it has arrived. The
first failure of a destination ends the round for it, so that one that hangs holds up little. What
no known key of the log has signed leaves for nowhere, however it came into the database.
"""

import errno
import smtplib
import urllib.request
from collections.abc import Callable
from datetime import timedelta
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import Q
from django.utils.translation import gettext_noop

from dpgov.audit.keys.note import NotSigned, UnreadableNote, opened
from dpgov.audit.models import AuditCheckpoint, AuditDelivery
from dpgov.audit.outside import AnotherFileIsThere, known_keys, put
from dpgov.language.said import as_values, said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock

# Stored as they are; pages say them in the language of the reader.
FOLDER, WEBHOOK, EMAIL = gettext_noop("folder"), gettext_noop("webhook"), gettext_noop("e-mail")
_log = structlog.get_logger(__name__)
_SECONDS = 5
_SHORTEST, _LONGEST = timedelta(seconds=15), timedelta(hours=1)
_ROUND = 20
_FAILURES = (OSError, HTTPException, smtplib.SMTPException, AnotherFileIsThere, ValueError)


class ProvesNothing(SpokenRefusal, ValueError):
    """The note of a stored checkpoint is signed by no known key of its log."""


def destinations() -> dict[str, Callable[[AuditCheckpoint], None]]:
    """The places that are set up, by name. The folder is always one of them."""
    found: dict[str, Callable[[AuditCheckpoint], None]] = {FOLDER: _to_folder}
    if settings.DPGOV_CHECKPOINT_WEBHOOK:
        found[WEBHOOK] = _to_webhook
    if settings.DPGOV_CHECKPOINT_EMAIL:
        found[EMAIL] = _by_email
    return found


def plan_deliveries(checkpoint: AuditCheckpoint) -> None:
    """Note that the checkpoint has to go everywhere; part of the transaction that stores it."""
    AuditDelivery.objects.bulk_create(
        AuditDelivery(
            tenant_id=checkpoint.tenant_id,
            size=checkpoint.size,
            destination=name,
            next_attempt_at=checkpoint.at,
        )
        for name in destinations()
    )


def deliver_waiting(tenant_id: UUID, away: set[str] | None = None) -> int:
    """Try what is due, oldest first; returns how many arrived. Never inside a transaction.

    Webhook and mail server are the installation's: what was not reached for one tenant is put into
    `away`, and not waited for again for the next one. A folder is each tenant's own.
    """
    missed = set() if away is None else away
    open_ones = [each for each in destinations().items() if each[0] not in missed]
    return sum(_deliver_to(name, send, tenant_id, missed) for name, send in open_ones)


def waiting(tenant_id: UUID) -> int:
    """How many deliveries have not arrived yet."""
    return AuditDelivery.objects.filter(tenant_id=tenant_id, delivered_at=None).count()


def _deliver_to(
    name: str, send: Callable[[AuditCheckpoint], None], tenant_id: UUID, missed: set[str]
) -> int:
    now = clock.now()
    # Nothing waits longer: what seems to was dated by a clock that was ahead.
    is_due = Q(next_attempt_at__lte=now) | Q(next_attempt_at__gt=now + _LONGEST)
    due = AuditDelivery.objects.filter(
        is_due, tenant_id=tenant_id, destination=name, delivered_at=None
    )
    arrived = 0
    for delivery in due.order_by("size")[:_ROUND]:
        if not _deliver(delivery, send, missed):
            break
        arrived += 1
    return arrived


def _deliver(
    delivery: AuditDelivery, send: Callable[[AuditCheckpoint], None], missed: set[str]
) -> bool:
    rows = AuditDelivery.objects.filter(pk=delivery.pk)
    try:
        send(_signed(delivery))
    except _FAILURES as failure:
        wait = min(_SHORTEST * 2 ** min(delivery.attempts, 20), _LONGEST)
        rows.update(
            attempts=delivery.attempts + 1,
            next_attempt_at=clock.now() + wait,
            problem=as_values(_why(failure)),
        )
        kind = type(failure).__name__
        if delivery.destination != FOLDER and not isinstance(failure, HTTPError | ProvesNothing):
            missed.add(delivery.destination)
        _log.warning(
            "checkpoint_not_delivered", to=delivery.destination, size=delivery.size, kind=kind
        )
        return False
    rows.update(attempts=delivery.attempts + 1, delivered_at=clock.now(), problem={})
    return True


def _signed(delivery: AuditDelivery) -> AuditCheckpoint:
    """What shall leave, if a known key has signed it; raises ProvesNothing."""
    found = AuditCheckpoint.objects.get(tenant_id=delivery.tenant_id, size=delivery.size)
    try:
        opened(found.note, known_keys(delivery.tenant_id))
    except (NotSigned, UnreadableNote) as refusal:
        where = said("The checkpoint of {size} entries", size=found.size)
        words = said("{where} proves nothing: {why}.", where=where, why=refusal.args[0])
        raise ProvesNothing(words) from refusal
    return found


def _why(failure: Exception) -> str:
    """What the officer reads: nothing that the other server wrote, nor an address with a secret."""
    if isinstance(failure, SpokenRefusal):
        return failure.sentence
    if isinstance(failure, HTTPError):
        return said("The server answered {status}.", status=failure.code)
    cause = getattr(failure, "reason", None)
    told = cause if isinstance(cause, OSError) else failure
    code = errno.errorcode.get(getattr(told, "errno", None) or 0, "")
    return said("Not reached ({kind}).", kind=f"{type(told).__name__} {code}".strip())


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected POST would become a GET that delivers nothing, and look like a success."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _to_folder(checkpoint: AuditCheckpoint) -> None:
    put(checkpoint.tenant_id, checkpoint.note)


def _to_webhook(checkpoint: AuditCheckpoint) -> None:
    request = urllib.request.Request(  # noqa: S310 - the operator's own address
        settings.DPGOV_CHECKPOINT_WEBHOOK,
        data=checkpoint.note.encode(),
        headers={"Content-Type": "text/plain; charset=utf-8"},
        method="POST",
    )
    urllib.request.build_opener(_NoRedirect).open(request, timeout=_SECONDS).close()


def _by_email(checkpoint: AuditCheckpoint) -> None:
    EmailMessage(
        subject=f"Checkpoint of the audit log at entry {checkpoint.size}",
        body=f"Keep this letter. The log must always contain what it names.\n\n{checkpoint.note}",
        to=list(settings.DPGOV_CHECKPOINT_EMAIL),
    ).send()
