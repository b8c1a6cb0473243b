"""What the child that reads files may use, from the settings."""

from django.conf import settings

from dpgov.engines.child import Limits

_LOOKING_SECONDS = 20


def child_limits() -> Limits:
    """Memory and time for one file that is read."""
    return Limits(
        memory_bytes=settings.DPGOV_INGEST_MEMORY_BYTES, seconds=settings.DPGOV_INGEST_SECONDS
    )


def looking_limits() -> Limits:
    """The same for a look at its beginning, while somebody waits at a page."""
    whole = child_limits()
    return Limits(whole.memory_bytes, min(whole.seconds, _LOOKING_SECONDS))
