"""Kills, freezes and cuts under load; then counts what was overspent, released twice or lost.

`uv run bench/chaos.py [--seconds 60] [--submitters 4]`: a throw-away PostgreSQL and Redis, two
workers with three processes each, one sweeper, and clients that repeat a request under the same
key until they have an answer. Ends with 1 unless the last three numbers are 0.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.attacks import Attack, OwnRedis
from bench.fleet import fleet
from bench.rig import installation, set_up_django

_LEASE_SECONDS = 2
_DRAIN_SECONDS = 300
_SETTINGS = {
    "DPGOV_LEASE_SECONDS": str(_LEASE_SECONDS),
    "DPGOV_ANSWER_SLOT_MS": "100",
}


def main() -> None:
    """Attack, let it drain, count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--submitters", type=int, default=4)
    parser.add_argument("--log", type=Path, help="keep what the processes said here")
    options = parser.parse_args()
    with installation(durable=True) as made, own_redis(made.home) as server:
        os.environ |= _SETTINGS | {
            "DPGOV_BROKER_URL": f"redis://127.0.0.1:{server.port}/0",
            "DPGOV_CACHE_URL": f"rediscache://127.0.0.1:{server.port}/1",
        }
        set_up_django()
        from bench.counting import count, drained
        from bench.load import chaos_cast, load

        cast = chaos_cast()
        with fleet(made, log=options.log, workers=2) as running:
            attack = Attack(running, server, made.admin_url, frozen_seconds=1.5 * _LEASE_SECONDS)
            attack.start()
            told = load(cast, clients=options.submitters, seconds=options.seconds)
            attack.over.set()
            attack.join()
            took = drained(_DRAIN_SECONDS)
        attack.done["workers that ended and were started again"] = running.restarts
        counted = count(told)
        print_table(attack.done, counted, options.seconds, took)
    if any(counted[name] for name in ("overspent", "released twice", "lost")):
        sys.exit(1)


@contextmanager
def own_redis(home: Path) -> Iterator[OwnRedis]:
    """Started here, because the attack restarts it."""
    server = OwnRedis(home)
    try:
        yield server
    finally:
        server.end()


def print_table(
    attacked: Counter[str], counted: dict[str, int], seconds: float, took: float
) -> None:
    """Everything that happened, in one table."""
    print(f"\n{seconds:.0f} seconds of attack, {took:.0f} more until nothing waited\n")
    print("| what | how many |\n|---|---|")
    rows: dict[str, Any] = {**attacked, **counted}
    for name, number in rows.items():
        print(f"| {name} | {number:,} |")


if __name__ == "__main__":
    main()
