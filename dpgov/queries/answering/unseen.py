"""Versions whose data file this process does not see: their questions are left to other workers.

Remembered for a while only, because a volume may be mounted late. Nothing is voided for what one
machine lacks.
"""

import logging
import time
from uuid import UUID

_SECONDS = 10.0
_until: dict[UUID, float] = {}

logger = logging.getLogger(__name__)


def pass_over(version_id: UUID) -> None:
    """Leave questions about this version to others for a while."""
    _until[version_id] = time.monotonic() + _SECONDS
    logger.warning("left to other workers: the data file of version %s is not here", version_id)


def unseen() -> frozenset[UUID]:
    """The versions to pass over now."""
    now = time.monotonic()
    for version_id in [each for each, until in _until.items() if until <= now]:
        del _until[version_id]
    return frozenset(_until)
