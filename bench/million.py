"""Times every page and list, the price check and a submission with a short and a long history.

`uv run bench/million.py [--rows 1000000] [--rounds 7]`: two databases on one throw-away server,
alike but for the length of their history; each thing is asked of both in turn. The aim is a ratio
of at most 1.5.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.rig import Installation, as_application, installation, set_up_django

SHORT, LONG = "dpgov", "dpgov_long"
_SLOWER = 1.5


def main() -> None:
    """Seed, time and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="what the names begin with")
    options = parser.parse_args()
    with installation(durable=False) as made:
        set_up_django()
        from bench.visits import visits

        cast, guests = prepare(made, options.rows)
        as_application()
        print(f"\n| what, as whom | 1,000 | {options.rows:,} | ratio |\n|---|---|---|---|")
        for ask in visits(cast, guests):
            if ask[0].startswith(options.only):
                print_row(ask[0], ask[1], options.rounds)


def prepare(made: Installation, rows: int) -> tuple[Any, Any]:
    """The cast once; then a copy of its database, with a thousand questions and with many."""
    from django.db import connection

    from bench.cast import make_cast
    from bench.seed import as_admin, seed
    from bench.visits import invite

    cast = make_cast("harbour", datasets=3)
    guests = invite(cast)
    connection.close()
    with as_admin(made.owner_url) as admin:
        admin.execute("DELETE FROM budgets_databasemark")
        for setting in ("max_wal_size = '16GB'", "autovacuum = off"):
            admin.execute(f"ALTER SYSTEM SET {setting}")
        admin.execute("SELECT pg_reload_conf()")
    with as_admin(made.owner_url.replace(f"/{SHORT}", "/postgres")) as admin:
        admin.execute(f"CREATE DATABASE {LONG} TEMPLATE {SHORT} OWNER dpgov")
    for name, many in ((SHORT, 1_000), (LONG, rows)):
        start = time.perf_counter()
        with as_admin(made.owner_url.replace(f"/{SHORT}", f"/{name}")) as admin:
            seed(admin, cast, cast.datasets[0], many)
        use(name)
        sign(cast)
        print(f"{many:,} questions, charges and entries: {time.perf_counter() - start:.0f} s")
    return cast, guests


def sign(cast: Any) -> None:
    """As the sweeper would have done: the tree is stored and its head signed."""
    from dpgov.audit.checkpoints.signing import make_checkpoint

    make_checkpoint(tenant_id=cast.tenant.pk)


def use(name: str) -> None:
    """Work on one of the two databases."""
    from django.db import connection

    connection.close()
    connection.settings_dict["NAME"] = name


def print_row(name: str, do: Callable[[], object], rounds: int) -> None:
    """Medians of the rounds, and the median of their ratios."""
    pairs = []
    for number in range(rounds + 1):
        timed = [_seconds(database, do) for database in (SHORT, LONG)]
        if number:
            pairs.append(timed)
    short, long = (statistics.median(column) * 1000 for column in zip(*pairs, strict=True))
    ratio = statistics.median(slow / fast for fast, slow in pairs)
    mark = " **slower**" if ratio > _SLOWER else ""
    print(f"| {name} | {short:.1f} ms | {long:.1f} ms | {ratio:.2f}{mark} |", flush=True)


def _seconds(database: str, do: Callable[[], object]) -> float:
    from django.db import connection

    use(database)
    connection.ensure_connection()
    do()
    start = time.perf_counter()
    do()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
