"""Archive files and an export read as one log, by whoever has nothing but these files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from dpgov.audit.archive.parquet import leaves_of, span_of
from dpgov.audit.exported import BrokenExport, first_number, leaf_hashes, tenant_of
from dpgov.audit.tree import HASH_BYTES, Hash, parted


def all_leaves(export: Path, archives: Sequence[Path]) -> Iterator[list[Hash]]:
    """The leaf hashes of every entry in order: first those of the archives, then of the export.

    Entries that an archive and the export both hold have to be the same. Raises BrokenExport (also
    for entries that none of the files holds, by their numbers), BrokenArchive, OSError.
    """
    tenant, begins = tenant_of(export), first_number(export)
    found = sorted((span_of(path), path) for path in archives)
    _refuse_gaps([(first, last) for (_, first, last), _ in found], begins)
    read = bytearray()
    for (_, first, last), path in found:
        leaves = leaves_of(path, tenant=tenant, first=first, last=last)
        read += leaves
        yield parted(leaves)
    yield from _of_the_export(export, begins, read)


def _refuse_gaps(spans: list[tuple[int, int]], begins: int) -> None:
    """Whether the archives follow one another and the export goes on, or begins within them."""
    missing, expected = [], 1
    for first, last in spans:
        if first < expected:
            raise BrokenExport(f"Two archive files hold entry {first}.")
        if first > expected:
            missing.append(f"{expected} to {first - 1}")
        expected = last + 1
    if spans and begins > expected:
        missing.append(f"{expected} to {begins - 1}")
    if missing:
        raise BrokenExport(
            f"Entries {', '.join(missing)} were not found: none of these files holds them."
        )


def _of_the_export(export: Path, begins: int, read: bytearray) -> Iterator[list[Hash]]:
    """What of the export is new; what the archives hold too is compared."""
    size, begin = len(read) // HASH_BYTES, max(begins, 1) if read else 1
    for part in leaf_hashes(export, begin=begin):
        known = max(0, min(len(part), size + 1 - begin))
        held = bytes(read[(begin - 1) * HASH_BYTES : (begin - 1 + known) * HASH_BYTES])
        if b"".join(part[:known]) != held:
            raise BrokenExport(f"The archive and the export differ from entry {begin} on.")
        begin += len(part)
        if part[known:]:
            yield part[known:]
