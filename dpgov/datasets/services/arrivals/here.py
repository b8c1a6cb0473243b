"""Whether this worker can read what is asked for, before it takes it: others may, if it cannot."""

import structlog

from dpgov.datasets.models import Arrival
from dpgov.datasets.services.derived.making import are_here
from dpgov.datasets.services.derived.parents import Derivation
from dpgov.datasets.services.fingerprint_key import FingerprintKeyChanged, installation_key
from dpgov.datasets.services.stored.keeping import is_kept_raw
from dpgov.datasets.store.base import StoreAway

_log = structlog.get_logger("dpgov.reading")


def can_read(arrival: Arrival) -> bool:
    """Whether its files and the key are here; the operator is told what is not."""
    # Rows of a live table are read where they are, and known by no key of ours.
    if arrival.upload is not None and arrival.upload.live_id is not None:
        return True
    if not _is_here(arrival):
        _log.warning("a worker cannot see a file that it should read", arrival=str(arrival.pk))
        return False
    try:
        installation_key()
    except FingerprintKeyChanged as problem:
        _log.error("a worker can register nothing", kind=type(problem).__name__)
        return False
    return True


def _is_here(arrival: Arrival) -> bool:
    if arrival.upload_id is None:
        return are_here(Derivation.of_json(arrival.declared))
    try:
        return is_kept_raw(arrival.upload_id)
    except StoreAway:
        return False
