"""A long log before and after its old months went into files.

`uv run bench/archive.py [--questions 100000] [--entries 300000] [--rounds 7]`: a throw-away
PostgreSQL with a year of one organisation's log. Measured before, after `archive_log --before` has
written the months that are over, and after `--remove` has taken them out: what the table, the kept
hashes and the files take; the receipt of the first answer, its entry and a proof of consistency
over all; and checking the whole log.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.rig import Installation, installation, set_up_django

_TABLES = ("audit_auditentry", "audit_auditleaves")


def main() -> None:
    """Seed, archive, remove, and print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--questions", type=int, default=100_000)
    parser.add_argument("--entries", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with installation(durable=False) as made:
        set_up_django()
        print_stages(made, options)


def print_stages(made: Installation, options: argparse.Namespace) -> None:
    """One column for each stage."""
    from dpgov.audit.archiving import archive_months, remove_archived
    from dpgov.audit.checkpoints.signing import make_checkpoint

    log = filled(made, options.questions, options.entries)
    tenant = log.tenant
    stages = [measured(made, log, options.rounds)]
    files, writing = timed(lambda: archive_months(tenant, _this_month()))
    make_checkpoint(tenant_id=tenant)
    stages.append(measured(made, log, options.rounds))
    left, removing = timed(lambda: remove_archived(tenant))
    stages.append(measured(made, log, options.rounds))
    print(f"\n{options.entries:,} entries; {len(files)} files in {writing:.1f} s, after which")
    print(f"{left:,} entries left in {removing:.1f} s\n")
    print("| | in the table | written to files | removed |\n|---|---|---|---|")
    for name in stages[0]:
        print(f"| {name} | {' | '.join(stage[name] for stage in stages)} |")


@dataclass(frozen=True, slots=True)
class Log:
    """Whose it is; the question that was answered first, when, and the number of that entry.

    `signed` is how many entries its first checkpoint has.
    """

    tenant: UUID
    signed: int
    query: UUID
    at: datetime
    sequence: int


def filled(made: Installation, questions: int, entries: int) -> Log:
    """A year of one organisation's log, signed."""
    from django.db import connection

    from bench.busy import fill_questions
    from bench.busy_log import fill_log
    from bench.cast import make_cast
    from bench.seed import as_admin
    from dpgov.audit.checkpoints.signing import make_checkpoint
    from dpgov.audit.models import AuditEntry

    cast = make_cast("harbour", datasets=3)
    connection.close()
    with as_admin(made.owner_url) as admin:
        # What was logged so far is dated today, and no month begins with it.
        admin.execute("SET session_replication_role = replica")
        admin.execute("DELETE FROM audit_auditentry")
        admin.execute("UPDATE audit_audithead SET sequence = 0")
        fill_log(admin, cast, fill_questions(admin, cast, questions), entries)
    signed = make_checkpoint(tenant_id=cast.tenant.pk)
    entry = AuditEntry.objects.filter(action="QUERY_RELEASED").earliest("sequence")
    query = UUID(entry.subject.removeprefix("query:"))
    size = signed.size if signed else 0
    return Log(cast.tenant.pk, size, query, entry.at, entry.sequence)


def measured(made: Installation, log: Log, rounds: int) -> dict[str, str]:
    """What it takes now, in words for the table."""
    from dpgov.audit.receipts.proofs import consistency, release_receipt
    from dpgov.audit.recheck import recheck_all

    table = _megabytes(made)
    verdict, checking = timed(lambda: recheck_all(log.tenant))
    if verdict.problems or verdict.unread:
        sys.exit(f"the log does not verify: {verdict}")
    looks: dict[str, Callable[[], object]] = {
        "the receipt of the first answer": lambda: release_receipt(
            tenant_id=log.tenant,
            query_id=log.query,
            release_sha256="0" * 64,
            recorded_near=log.at,
        ),
        "its entry by number": lambda: _entry(log),
        "a proof of consistency over all": lambda: consistency(
            tenant_id=log.tenant, old=log.signed, new=newest_size(log.tenant)
        ),
    }
    return {
        "the table with its indexes": f"{table[0]:.0f} MB",
        "the hashes that are kept": f"{table[1]:.1f} MB",
        "the files": f"{_files(log.tenant):.1f} MB",
        **{name: f"{_median(look, rounds):.1f} ms" for name, look in looks.items()},
        "checking the whole log": f"{checking:.1f} s",
    }


def newest_size(tenant: UUID) -> int:
    """How many entries are signed."""
    from dpgov.audit.selectors import newest_checkpoint

    newest = newest_checkpoint(tenant)
    return newest.size if newest else 0


def _entry(log: Log) -> object:
    """From wherever it is, as the officer's page finds it."""
    from dpgov.audit.archive.reading import archived_entry
    from dpgov.audit.models import AuditEntry

    there = AuditEntry.objects.filter(tenant_id=log.tenant, sequence=log.sequence)
    return there.first() or archived_entry(log.tenant, log.sequence)


def _megabytes(made: Installation) -> list[float]:
    """Of both tables once what left is given back to the disk."""
    from bench.seed import as_admin

    with as_admin(made.owner_url) as admin:
        admin.execute(f"VACUUM (FULL, ANALYZE) {', '.join(_TABLES)}")
        sizes = "SELECT pg_total_relation_size(%s::regclass)"
        found = [admin.execute(sizes, [table]).fetchone() for table in _TABLES]
    return [row[0] / 1e6 for row in found if row]


def _files(tenant: UUID) -> float:
    from dpgov.audit.archive.reading import folder_of

    return sum(path.stat().st_size for path in folder_of(tenant).glob("*")) / 1e6


def _median(look: Callable[[], object], rounds: int) -> float:
    look()
    return 1000 * statistics.median(timed(look)[1] for _ in range(rounds))


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What it returned, and the seconds that it took."""
    start = time.perf_counter()
    found = work()
    return found, time.perf_counter() - start


def _this_month() -> date:
    return datetime.now(UTC).date().replace(day=1)


if __name__ == "__main__":
    main()
