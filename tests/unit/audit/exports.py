"""An exported log, its checkpoints and its key, made without any database."""

from pathlib import Path
from typing import Any

from dpgov.audit.entry import EntryFacts, canonical_json, leaf_hash
from dpgov.audit.keys.note import Checkpoint, new_seed, public_key, sign
from tests.unit.audit.roots import root_of

TENANT = "00000000-0000-0000-0000-000000000007"
ORIGIN = f"dpgov/{TENANT}"
SEED = new_seed()
KEY = public_key(seed=SEED, name=ORIGIN)

Lines = list[bytes]


def facts(number: int, **values: Any) -> dict[str, Any]:
    """What one entry says."""
    said = EntryFacts(
        tenant_id=TENANT,
        sequence=number,
        at=f"2026-11-21T05:00:{number % 60:02}.000000+00:00",
        actor_kind="user",
        actor_id="u1",
        actor_label="anna@example.org",
        action="QUERY_SUBMITTED",
        subject=f"query:{number}",
        dataset="visits",
        detail=canonical_json({"epsilon": 0.5, "note": "ε"}),
    )
    return said.as_dict() | values


def line(number: int, **values: Any) -> bytes:
    """One line of an export, without its newline."""
    return canonical_json(facts(number, **values)).encode()


def log(length: int = 6) -> Lines:
    """An export of so many entries."""
    return [line(number) for number in range(1, length + 1)]


def note(lines: Lines, *, seed: str = SEED, origin: str = ORIGIN) -> str:
    """The signed checkpoint over these entries."""
    head = Checkpoint(origin=origin, size=len(lines), root=root_of([*map(leaf_hash, lines)]))
    return sign(head.as_text(), seeds=[seed], name=origin)


def write(folder: Path, lines: Lines) -> Path:
    """The export as a file."""
    path = folder / "export.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def files(folder: Path, lines: Lines, *notes: str) -> list[str]:
    """The arguments of the command, and the files that they name."""
    paths = [write(folder, lines)]
    for number, text in enumerate(notes):
        paths.append(folder / f"note-{number}.txt")
        paths[-1].write_text(text)
    (folder / "keys.txt").write_text(f"{KEY.as_text()}\n")
    return [*map(str, paths), "--key", str(folder / "keys.txt")]
