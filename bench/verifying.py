"""How fast an exported log is verified, against SHA-256 over the same bytes."""

import hashlib
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from dpgov.audit.entry import fragments
from dpgov.audit.verify import verify_export

_ROUNDS = 5
_BLOCK = 1 << 20
_TENANT = UUID(int=7)


def print_verifying(entries: int) -> None:
    """One table."""
    with TemporaryDirectory(prefix="dpgov-export-") as folder:
        path = Path(folder) / "log.jsonl"
        write_export(path, entries)
        pairs = [
            (_seconds(lambda: verify_export(path, [], keys=None)), _seconds(lambda: _hash(path)))
            for _ in range(_ROUNDS)
        ]
    verifying, hashing = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(raw / full for full, raw in pairs)
    print(f"\nVerifying an export of {entries:,} entries, against SHA-256 over the same bytes\n")
    print("| verifying | SHA-256 | speed of SHA-256 |\n|---|---|---|")
    print(f"| {verifying:.2f} s | {hashing:.2f} s | {ratio:.2f} |", flush=True)


def write_export(path: Path, entries: int) -> None:
    """An export as long as that: each entry about a release."""
    parts = fragments(
        {
            "tenant_id": _TENANT,
            "actor_kind": "system",
            "actor_id": "worker",
            "actor_label": "worker",
            "action": "QUERY_RELEASED",
            "subject": f"query:{UUID(int=1)}",
            "dataset": "visits",
            "detail": '{"epsilon":"0.5","release_sha256":"' + "0" * 64 + '"}',
        }
    )
    with path.open("wb") as file:
        for number in range(1, entries + 1):
            file.write(parts.line(at="2026-11-21T12:00:00.000000+00:00", sequence=number) + b"\n")


def _hash(path: Path) -> None:
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            digest.update(block)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
