"""Charges a second of the product against pgbench running the same statements, and the log's share.

`uv run bench/ledger.py [--seconds 4] [--rounds 3] [--clients 8,32] [--entries 1000000]`: a
throw-away PostgreSQL that waits for the disk at every commit. Product and pgbench take turns; the
ratios are medians of the rounds. Processor time is printed too: it says what a charge costs even on
a busy machine.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import cpu, pgbench
from bench.rig import Installation, installation, set_up_django


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn did: how many a second, and the processor seconds of one."""

    rate: float
    client: float
    server: float


def main() -> None:
    """Run everything and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--datasets", type=int, default=100)
    parser.add_argument("--clients", default="8,32")
    parser.add_argument("--entries", type=int, default=1_000_000, help="of the verified export")
    options = parser.parse_args()
    with installation(durable=True) as made:
        set_up_django()
        from bench.cast import Cast, make_cast
        from bench.verifying import print_verifying

        cast = make_cast("harbour", datasets=options.datasets)
        hot = Cast(cast.people, cast.datasets[:1])
        for name in WORKS:
            print_work(made, name, (hot, cast), options)
        print_verifying(options.entries)


def print_work(made: Installation, name: str, casts: tuple[Any, ...], options: Any) -> None:
    """One table: the work on one dataset and on many, by few clients and by many."""
    from bench import clients

    prepare: Callable[[Any], Callable[[], None]] = getattr(clients, name)
    print(f"\n{WORKS[name]}\n\n{_HEAD}", flush=True)
    for cast in casts:
        scripts = clients.captured(cast, prepare)
        for number in map(int, options.clients.split(",")):
            pairs = [
                (
                    turn(made, lambda: _product(cast, prepare, number, options.seconds), options),
                    turn(made, lambda: _pgbench(made, cast, scripts, number, options), options),
                )
                for _ in range(options.rounds)
            ]
            print(_row(len(cast.datasets), number, pairs), flush=True)


WORKS = {
    "charging": "A whole charge: accepted with its hold and entry, released with charge and entry",
    "charging_without_log": "The same without audit entries",
    "stepping": "The steps alone: a question's row, its hold and its charge, a transaction each",
}
_HEAD = (
    "| datasets | clients | product | pgbench | ratio | product, CPU | pgbench, CPU | ratio |\n"
    "|---|---|---|---|---|---|---|---|"
)


def _product(cast: Any, prepare: Any, number: int, seconds: float) -> float:
    from bench.clients import rate

    return float(rate(cast, prepare, clients=number, seconds=seconds))


def _pgbench(made: Installation, cast: Any, scripts: list[str], number: int, options: Any) -> float:
    return pgbench.run(
        made, scripts, clients=number, seconds=options.seconds, tenant=cast.tenant.pk
    )


def turn(made: Installation, run: Callable[[], float], options: Any) -> Turn:
    """One turn with the processor time that it took."""
    postmaster = cpu.postmaster_of(made.home / "postgres" / "data")
    time.sleep(0.3)
    before = cpu.spent(postmaster)
    rate = run()
    time.sleep(0.3)
    used = cpu.spent(postmaster) - before
    done = rate * options.seconds
    return Turn(rate, used.client / done, used.server / done)


def _row(datasets: int, clients: int, pairs: list[tuple[Turn, Turn]]) -> str:
    ours, theirs = zip(*pairs, strict=True)
    ratio = statistics.median(a.rate / b.rate for a, b in pairs)
    cost = statistics.median((b.client + b.server) / (a.client + a.server) for a, b in pairs)
    return (
        f"| {datasets} | {clients} | {_rate(ours)} | {_rate(theirs)} | {ratio:.2f} | "
        f"{_cost(ours)} | {_cost(theirs)} | {cost:.2f} |"
    )


def _rate(turns: tuple[Turn, ...]) -> str:
    return f"{statistics.median(one.rate for one in turns):,.0f}/s"


def _cost(turns: tuple[Turn, ...]) -> str:
    client = statistics.median(one.client for one in turns) * 1000
    server = statistics.median(one.server for one in turns) * 1000
    return f"{client:.1f} + {server:.1f} ms"


if __name__ == "__main__":
    main()
