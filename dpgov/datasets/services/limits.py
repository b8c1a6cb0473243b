"""What the child that reads files may use, from the settings."""

from django.conf import settings

from dpgov.engines.child import Limits


def child_limits() -> Limits:
    """Memory and time for one file."""
    return Limits(
        memory_bytes=settings.DPGOV_INGEST_MEMORY_BYTES, seconds=settings.DPGOV_INGEST_SECONDS
    )
