"""The leaf hashes of archived entries: what the tree is made of when the entries have left."""

from collections.abc import Iterator
from uuid import UUID

from dpgov.audit.models import AuditLeaves
from dpgov.audit.tree import HASH_BYTES, WIDTH, Hash, parted


def rows_of(tenant_id: UUID, *, start: int, hashes: bytes) -> Iterator[AuditLeaves]:
    """The rows that keep these hashes, of the entries after the first `start`; not saved."""
    end, at = start + len(hashes) // HASH_BYTES, start
    while at < end:
        stop = min(end, at - at % WIDTH + WIDTH)
        piece = hashes[(at - start) * HASH_BYTES : (stop - start) * HASH_BYTES]
        yield AuditLeaves(tenant_id=tenant_id, start=at, hashes=piece)
        at = stop


def kept(tenant_id: UUID, *, after: int, upto: int) -> Iterator[tuple[int, Hash]]:
    """(place from 0, hash) of the archived entries after < number <= upto, in order."""
    rows = AuditLeaves.objects.filter(
        tenant_id=tenant_id, start__gt=after - WIDTH, start__lt=upto
    ).order_by("start")
    for start, hashes in rows.values_list("start", "hashes").iterator(chunk_size=WIDTH):
        for place, value in enumerate(parted(bytes(hashes)), start=start):
            if after <= place < upto:
                yield place, value
