"""One organisation's worker: its key goes out, and when all are there its share.

The exact integers and the noise live in this module's local variables only; what is stored is
masked. A share is drawn once and stored once: what a second worker or a second try draws is thrown
away, and what is there is what everybody adds up. What could leak: two shares of one party with the
same mask, whose difference is that of two noises; the row's key is the party, and rows of shares
never change. In a restored database that row may be missing, so that nothing is sent from there
before it is home (A9).
"""

import logging
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet

from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.services.freezing import confirm_place
from dpgov.datasets.services import (
    DataMissing,
    at_hand,
    engine_for,
    is_another,
    is_kept_as_recorded,
)
from dpgov.datasets.store.base import StoreAway
from dpgov.joint import crossing
from dpgov.joint.keys import own_key
from dpgov.joint.models import JointQuestion, Party, Share
from dpgov.joint.services.prepared import joint_of_party
from dpgov.operation import request_ids
from dpgov.operation.clock import database_now
from dpgov.privacy.joint.masks import as_bytes, mask_of, masked, public_key_of
from dpgov.queries.answering.lease import STOPPED
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for

logger = logging.getLogger(__name__)

# A share that comes later than this is not sent: an hour before anybody gives up waiting.
SENT_WITHIN = timedelta(hours=23)
ENDED_AFTER = timedelta(hours=24)


def answer_for(tenant_id: UUID) -> int:
    """One look of this organisation's worker at its own rows: how many keys and shares went out."""
    with acting_for(tenant_id):
        try:
            confirm_place()
        except BudgetFrozen:
            logger.warning("nothing is sent: this database is not where it was")
            return 0
        private = own_key(tenant_id)
        waiting = list(_to_share(tenant_id).values_list("pk", flat=True))
        sent = (_send_share(party, private) for pk in waiting for party in _going_on(tenant_id, pk))
        return _send_keys(tenant_id, private) + sum(sent)


def _send_keys(tenant_id: UUID, private: bytes) -> int:
    """Where the data is here: once all keys are there everybody pays, answer or not."""
    waiting = Party.objects.filter(
        tenant=tenant_id, public_key="", query__state=Query.State.RUNNING
    )
    able = [one.pk for one in waiting.select_related("query__version") if _could_answer(one)]
    return waiting.filter(pk__in=able).update(public_key=public_key_of(private).hex())


def _could_answer(party: Party) -> bool:
    version = party.query.version
    try:
        if version.file_seal == version.LIVE or is_kept_as_recorded(version):
            return True
    except StoreAway:
        pass
    logger.warning("no key is sent: the data file of version %s is not here", version.pk)
    return False


def _to_share(tenant_id: UUID) -> QuerySet[Party]:
    """Where everybody is there and this one has not sent yet; none of a stopped dataset."""
    going_on = Query.objects.filter(
        ~Exists(STOPPED), pk=OuterRef("query_id"), state=Query.State.RUNNING
    )
    whole = Party.objects.select_related(
        "question", "query__version__dataset__budget", "query__dataset"
    )
    return whole.filter(
        Exists(going_on),
        tenant=tenant_id,
        share__isnull=True,
        question__opened_at__isnull=False,
    )


def _going_on(tenant_id: UUID, pk: UUID) -> Iterator[Party]:
    """None, if it was stopped while the worker had another one's data open, or is too late."""
    for party in _to_share(tenant_id).filter(pk=pk):
        if not is_over(party.question, SENT_WITHIN):
            yield party


def is_over(question: JointQuestion, patience: timedelta) -> bool:
    """Whether an opened question has gone on for longer; a freeze of anybody's costs none of it.

    It is asked of all parties at once, so that they come to the same end.
    """
    since, now = question.opened_at, database_now()
    if since is None or now <= since + patience:
        return False
    since = crossing.going_since(question.pk)
    return since is not None and now > since + patience


def _send_share(party: Party, private: bytes) -> bool:
    """Whether this call sent it. Whatever goes wrong is tried again until it is too late."""
    request_ids.begin(party.query.request_id)
    try:
        text = _masked_share(party, private)
    except Exception as error:
        # The text of the error may quote the data, so only its type is written down.
        logger.error("the share of %s failed: %s", party.pk, type(error).__name__)
        return False
    try:
        with transaction.atomic():
            Share.objects.create(party=party, tenant_id=party.tenant_id, masked=text)
    except IntegrityError:
        # The database looks once more: it is thrown away where it was frozen while it was drawn.
        logger.info("the share of %s was sent before, is too late, or stopped", party.pk)
        return False
    return True


def _masked_share(party: Party, private: bytes) -> str:
    joint = joint_of_party(party)
    keys = [bytes.fromhex(one.public_key) for one in crossing.standing(party.question_id)]
    # Before the data is opened: a key that is not the one that went out makes no share.
    mask = mask_of(
        private=private,
        place=party.place,
        keys=keys,
        question=party.question_id.bytes,
        cells=joint.shares.cells,
    )
    version = party.query.version
    with at_hand(version.tenant_id, [version.pk]):
        if is_another(version):
            raise DataMissing(version.pk)
        engine = engine_for(version)
        noisy = joint.noisy([engine.answer(request) for request in joint.blueprint.requests])
    return as_bytes(masked(noisy, mask)).hex()
