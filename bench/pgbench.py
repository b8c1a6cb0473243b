"""pgbench running the product's own statements: what the database alone can do.

The scripts are made from the statements that the product was seen to send, so the two cannot
drift apart; only ids that must be new each time are replaced.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from bench.rig import Installation

_NEW_ID = "\\set n random(1, 9000000000000000000)\n"
_MOMENT = re.compile(r"'(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.\d+)?\+00:00'::timestamptz")
_RATE = re.compile(r"tps = ([0-9.]+) \(without")
_TRANSACTIONS = re.compile(r"number of transactions actually processed: (\d+)")


class PgbenchFailed(RuntimeError):
    """pgbench ended with an error, or a statement of its script failed."""


def script_of(statements: Sequence[str], *, query_id: UUID, key: str = "") -> str:
    """The statements of one charge for pgbench, with a new query in place of that one."""
    text = ";\n".join(statements) + ";\n"
    if key:
        text = text.replace(f"'{key}'", "md5(:n::text)")
    text = text.replace(f"'{query_id.hex}'::uuid", "md5(:n::text)::uuid")
    text = text.replace(f"'query:{query_id}'", "('query:' || md5(:n::text)::uuid)")
    # A colon before a name would be a variable of pgbench.
    return _NEW_ID + _MOMENT.sub(r"'\1\2\3T\4\5\6Z'::timestamptz", text)


def run(
    made: Installation, scripts: Sequence[str], *, clients: int, seconds: float, tenant: UUID
) -> float:
    """Scripts per second by so many clients, each taking one of the scripts at random."""
    with tempfile.TemporaryDirectory(prefix="pgbench-") as folder:
        files = [Path(folder) / f"{number}.sql" for number in range(len(scripts))]
        for file, script in zip(files, scripts, strict=True):
            file.write_text(script)
        options = ["-n", "-c", str(clients), "-j", "1", "-T", str(max(1, round(seconds)))]
        command = [_program(), *options, *(f"-f{file}" for file in files)]
        finished = subprocess.run(
            command, env=_environment(made, tenant), capture_output=True, text=True, check=False
        )
    found = _RATE.search(finished.stdout)
    if finished.returncode or found is None or "failed" in finished.stderr:
        raise PgbenchFailed(finished.stderr[-2000:])
    return float(found.group(1))


def _program() -> str:
    found = shutil.which("pgbench")
    if found is None:
        raise PgbenchFailed("pgbench is not installed: apt-get install postgresql")
    return found


def _environment(made: Installation, tenant: UUID) -> dict[str, str]:
    place: Any = urlsplit(made.app_url)
    return {
        **os.environ,
        "PGHOST": place.hostname,
        "PGPORT": str(place.port),
        "PGUSER": place.username,
        "PGPASSWORD": place.password,
        "PGDATABASE": place.path.lstrip("/"),
        "PGOPTIONS": f"-c dpgov.tenant={tenant}",
    }
