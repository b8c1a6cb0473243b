"""Once per key: the same request sent again is the question that it was the first time."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.db import IntegrityError

from dpgov.privacy.answer.batch import MAX_PLANS
from dpgov.queries.models import Query
from dpgov.queries.selectors import find_by_key
from dpgov.tenants.models import Membership

_KEY = re.compile(r"[\x21-\x7e]+")
LONGEST_KEY = 200
# Room for the place of a question: " 19".
LONGEST_BATCH_KEY = LONGEST_KEY - len(f" {MAX_PLANS}")


class InvalidKey(ValueError):
    """An idempotency key must be 1 to 200 visible ASCII characters; of a batch some fewer."""

    def __init__(self, longest: int = LONGEST_KEY) -> None:
        super().__init__(f"The idempotency key must be 1 to {longest} visible ASCII characters.")


class IdempotencyConflict(Exception):
    """The key was used before for another question."""

    def __init__(self) -> None:
        super().__init__("This idempotency key was already used for another question.")


@dataclass(frozen=True, slots=True)
class Submission:
    """What was accepted; `created` is False when the same request had been accepted before."""

    queries: tuple[Query, ...]
    created: bool

    @property
    def query(self) -> Query:
        """The only one."""
        (only,) = self.queries
        return only


def check_key(idempotency_key: str, longest: int = LONGEST_KEY) -> None:
    """Raises InvalidKey."""
    if not _KEY.fullmatch(idempotency_key) or len(idempotency_key) > longest:
        raise InvalidKey(longest)


def once(
    membership: Membership, keys: Sequence[str], body_hash: str, accept: Callable[[], list[Query]]
) -> Submission:
    """What was accepted under these keys before, or what is accepted now.

    `accept` looks at everything afresh each time: it is called again where the database refused
    what it had let pass. Raises IdempotencyConflict where the key was that of another body.
    """
    earlier = _accepted_before(membership, keys)
    if not earlier:
        try:
            return Submission(tuple(accept()), created=True)
        except IntegrityError:
            # The same request arrived twice at once and the other one was first.
            earlier = _accepted_before(membership, keys)
        if not earlier:
            # Or its owners decided otherwise in the very moment: the second look says what.
            return Submission(tuple(accept()), created=True)
    if any(query.body_hash != body_hash for query in earlier):
        raise IdempotencyConflict
    return Submission(tuple(earlier), created=False)


def _accepted_before(membership: Membership, keys: Iterable[str]) -> list[Query]:
    """The first key is always used, and none after one that is not."""
    found = []
    for key in keys:
        if (query := find_by_key(membership, key)) is None:
            break
        found.append(query)
    return found
