"""Accepting several questions together: all of them or none, in one transaction.

Each is a question like any other, with its own row, hold and entry in the log.
"""

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from dpgov.budgets.errors import BudgetsMoved
from dpgov.budgets.services import take
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.privacy.answer.batch import MAX_PLANS
from dpgov.queries.asking.batch import blueprints_of, lines_of_all
from dpgov.queries.asking.submit import (
    REFUSED,
    IdempotencyConflict,
    InvalidKey,
    asked,
    hash_of,
    note_refusal,
    write_down,
)
from dpgov.queries.models import Query
from dpgov.queries.selectors import find_by_key
from dpgov.tenants.models import Membership

# Room for the place of a question: ".19".
LONGEST_KEY = 200 - len(f".{MAX_PLANS}")
_KEY = re.compile(rf"[\x21-\x7e]{{1,{LONGEST_KEY}}}")
_TRIES = 3


def submit_batch(
    *,
    membership: Membership,
    dataset: Dataset,
    raw_batch: object,
    idempotency_key: str,
    allocation_id: UUID | None = None,
) -> list[Query]:
    """Accept every question of the batch and reserve its part of the price, once per key.

    The key of a question is that of the batch, a dot and its place. Raises what `submit` raises;
    after a refusal nothing has changed.
    """
    if not _KEY.fullmatch(idempotency_key):
        raise InvalidKey(LONGEST_KEY)
    body_hash = hash_of(dataset, ["batch", raw_batch], allocation_id)
    earlier = _accepted_before(membership, idempotency_key)
    if not earlier:
        try:
            return _accept_as_it_is_now(
                membership, dataset, raw_batch, idempotency_key, body_hash, allocation_id
            )
        except REFUSED as refusal:
            note_refusal(membership, dataset, refusal)
            raise
        except IntegrityError:
            # The same batch arrived twice at once and the other one was first.
            earlier = _accepted_before(membership, idempotency_key)
            if not earlier:
                raise
    if any(query.body_hash != body_hash for query in earlier):
        raise IdempotencyConflict
    return earlier


def _accepted_before(membership: Membership, key: str) -> list[Query]:
    found = []
    for place in range(MAX_PLANS):
        query = find_by_key(membership, _key_of(key, place))
        if query is None:
            break
        found.append(query)
    return found


def _key_of(key: str, place: int) -> str:
    return f"{key}.{place}"


def _accept_as_it_is_now(*asked_for: Any) -> list[Query]:
    """Begin again when the dataset came to share another budget in the very moment."""
    for _ in range(_TRIES - 1):
        try:
            return _accept(*asked_for)
        except BudgetsMoved:
            continue
    return _accept(*asked_for)


@transaction.atomic
def _accept(
    membership: Membership,
    dataset: Dataset,
    raw_batch: object,
    key: str,
    body_hash: str,
    allocation_id: UUID | None,
) -> list[Query]:
    version = current_version(dataset)
    blueprints = blueprints_of(dataset, version, raw_batch)
    queries: Sequence[Query] = [
        asked(membership, dataset, version, one, key=_key_of(key, place), body_hash=body_hash)
        for place, one in enumerate(blueprints)
    ]
    lines = lines_of_all(
        blueprints, dataset=dataset, user=membership.user, allocation_id=allocation_id
    )
    take(line for of_one in lines for line in of_one)
    for query, of_one in zip(queries, lines, strict=True):
        write_down(query, of_one)
    return list(queries)
