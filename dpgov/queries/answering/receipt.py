"""The receipt of a release: proof that it stands in the audit log, for whoever may see the answer.

It tells nothing that the answer does not: its entry is dated at the end of the slot in which the
answer appeared, not at the moment at which the worker was done.
"""

from typing import Any

from dpgov.audit.receipts.proofs import release_receipt
from dpgov.queries.models import Query, Release


def receipt_of(query: Query, release: Release) -> dict[str, Any]:
    """The receipt; without the proof (`complete` is false) until the next checkpoint is signed."""
    return release_receipt(
        tenant_id=query.tenant_id,
        query_id=query.pk,
        release_sha256=release.sha256,
        recorded_near=query.visible_at or release.created_at,
    )
