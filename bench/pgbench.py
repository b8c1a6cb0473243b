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

_ANY = "random(1, 9000000000000000000)"
_MOMENT = re.compile(r"'(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.\d+)?\+00:00'::timestamptz")
_RATE = re.compile(r"tps = ([0-9.]+) \(without")


class PgbenchFailed(RuntimeError):
    """pgbench ended with an error, or a statement of its script failed."""


def script_of(statements: Sequence[str], *, new: Sequence[UUID]) -> str:
    """The statements for pgbench, with ids of its own in place of those that were new."""
    text = ";\n".join(statements) + ";\n"
    for number, old in enumerate(new):
        text = text.replace(f"'{old.hex}'::uuid", f"md5(:n{number}::text)::uuid")
        text = text.replace(f"'{old}'", f"md5(:n{number}::text)")
        text = text.replace(f"'query:{old}'", f"('query:' || md5(:n{number}::text)::uuid)")
    fresh = "".join(f"\\set n{number} {_ANY}\n" for number in range(len(new)))
    # A colon before a name would be a variable of pgbench.
    return fresh + _MOMENT.sub(r"'\1\2\3T\4\5\6Z'::timestamptz", text)


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
