"""The child's door: a JSON request in, lines that tell how far it is, a JSON answer, then gone."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from dpgov.engines.ingest.limits import MAX_COLUMNS, die_with, is_full, limit_self
from dpgov.engines.ingest.refusal import Refused
from dpgov.language.said import as_values, said

_PARQUET, _ZIP = b"PA", b"PK"
_UNREADABLE = said("The file could not be read. Export it again as CSV or Parquet and upload that.")
_TOO_MUCH_MEMORY = said(
    "The file needs more memory to read than is allowed. It may be damaged, or made to unpack to a "
    "huge size."
)


def main() -> None:
    """Answer the one request on standard input."""
    os.umask(0o077)
    request = json.loads(sys.stdin.read())
    die_with(request["parent"])
    try:
        answer = _DOES[request["do"]](request)
    except Refused as refusal:
        answer = _refused(str(refusal)) | {"field": refusal.field, "column": refusal.column}
    except MemoryError:
        answer = _refused(_TOO_MUCH_MEMORY)
    except Exception as problem:  # noqa: BLE001 - the parent gets a refusal, never a traceback
        # What it says may quote the data; its kind, and a refusal in fixed words, may not.
        cause = type(problem).__name__
        answer = {"no_room": cause} if is_full(problem) else _refused(_UNREADABLE)
        answer["cause"] = cause
    _say(answer)
    # The interpreter's own farewell can need memory that is not there any more.
    os._exit(0)


def _say(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


class _Telling:
    """Says how far the reading is, not more often than somebody can look, and its end always."""

    def __init__(self, whole: int) -> None:
        self._whole, self._next = whole, 0.0

    def __call__(self, rows: int, read: int) -> None:
        if (now := time.monotonic()) >= self._next or read >= self._whole:
            self._next = now + 0.5
            _say({"told_rows": rows, "told_bytes": read})


def _refused(text: str) -> dict[str, Any]:
    """The sentence, and how it was made, so that it can be said in another language."""
    return {"refused": text, "kept": as_values(text)}


def _inspect(request: dict[str, Any]) -> dict[str, Any]:
    """By its first bytes: somebody waits for this. The rest is looked at when it is read."""
    from dpgov.engines.ingest.understood import understand

    path = Path(request["path"])
    if _begin(path) in (_PARQUET, _ZIP):
        # What may hold tables in binary needs all of the reader.
        import dpgov.engines.ingest.several  # noqa: F401
    _limit(request, written_bytes=0)
    return understand(path, request["wanted"])._asdict()


def _check(request: dict[str, Any]) -> dict[str, Any]:
    """Coarse words alone leave this process."""
    from dpgov.engines.ingest.checking import check
    from dpgov.engines.ingest.request import columns_of

    columns = columns_of(request["columns"])
    _limit(request, written_bytes=0)
    return check(_table(request), columns, request["private_id"])


def _public(request: dict[str, Any]) -> dict[str, Any]:
    """Whether a table can be joined: everything about it may be told, for it is public."""
    from dpgov.engines.ingest.joining import digest_of, public_rows
    from dpgov.engines.ingest.request import join_of

    join = join_of(request["join"])
    _limit(request, written_bytes=0)
    if join is None:
        return {}
    public_rows(join)
    return {"digest": digest_of(join)}


def _ingest(request: dict[str, Any]) -> dict[str, Any]:
    from dpgov.engines.fingerprint import as_json
    from dpgov.engines.ingest.at_all import used_at_all
    from dpgov.engines.ingest.recognised.fingerprint import hash_of_file
    from dpgov.engines.ingest.request import before_of, columns_of, unit_of
    from dpgov.engines.ingest.store import store

    columns, unit = columns_of(request["columns"]), unit_of(request["unit"])
    private_id = None if unit is None else unit.private_id
    before, key = before_of(request["before"]), bytes.fromhex(request["key"])
    _limit(request, written_bytes=_largest_output(request["max_rows"], len(columns) + 3))
    stored = store(
        used_at_all(_table(request), columns, private_id, adds=before is not None),
        Path(request["target"]),
        columns=columns,
        max_rows=request["max_rows"],
        memory_bytes=request["memory_bytes"],
        key=key,
        unit=unit,
        before=before,
    ).of_file(hash_of_file(Path(request["path"]), request["reading"], key))
    return {
        "rows": stored.rows,
        "units": stored.units,
        "newcomers": stored.newcomers,
        "fingerprint": as_json(stored.fingerprint),
        "addition": None if stored.addition is None else as_json(stored.addition),
    }


def _derive(request: dict[str, Any]) -> dict[str, Any]:
    """Two stored files: nothing of a stranger's is parsed, and nothing of them is told."""
    from dpgov.engines.deriving import derive, parent_of
    from dpgov.engines.ingest.drafts import whole
    from dpgov.engines.ingest.request import columns_of
    from dpgov.privacy.plan.cubes import cubes_of

    first, second = parent_of(request["first"]), parent_of(request["second"])
    columns, most = columns_of(request["columns"]), request["max_rows"]
    # Also what does not fit into memory meanwhile, of the parents as well.
    _limit(request, written_bytes=_largest_output(3 * request["rows_at_most"], len(columns) + 4))
    rows, memory = request["rows_of_unit"], request["memory_bytes"]
    with whole(Path(request["target"])) as draft:
        cubes = cubes_of(columns, max_rows=most, rows_of_unit=rows)
        derive(first, second, draft, rows_of_unit=rows, memory_bytes=memory, cubes=cubes)
    return {"derived": True}


def _table(request: dict[str, Any]) -> Any:
    """The file as it is to be read, with the columns of a public table if one is joined."""
    from dpgov.engines.ingest.joining import joined, opened
    from dpgov.engines.ingest.request import join_of

    path = Path(request["path"])
    table = opened(path, request["reading"], told=_Telling(path.stat().st_size))
    join = join_of(request["join"])
    return table if join is None else joined(table, join)


def _limit(request: dict[str, Any], *, written_bytes: int) -> None:
    """After the imports, which need a known amount, and before the file is parsed."""
    limit_self(
        memory_bytes=request["memory_bytes"],
        seconds=request["seconds"],
        written_bytes=max(written_bytes, _put_down(request)),
    )


def _put_down(request: dict[str, Any]) -> int:
    """How large a file of an archive may be that is read from its end, if one is sent."""
    sent = [request.get("path"), (request.get("join") or {}).get("path")]
    packed = any(_begin(Path(path)) == _ZIP for path in sent if path)
    return int(request["disk_bytes"]) if packed else 0


def _begin(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(2)


def _largest_output(max_rows: int, columns: int) -> int:
    return min(10 * max_rows * min(columns, MAX_COLUMNS) + 100_000_000, 2**62)


_DOES = {
    "inspect": _inspect,
    "check": _check,
    "public": _public,
    "ingest": _ingest,
    "derive": _derive,
}

if __name__ == "__main__":
    main()
