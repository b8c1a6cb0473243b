"""What an attacker learns from time: the same question of a table where all rows match and of one
where none does, at the least price, with free answers taken in between to number the moments.

`uv run bench/timing.py [--profile sqlite|postgresql] [--questions 200] [--cubes]`: throw-away
servers, a real worker and a real sweeper. For everything that can be seen (the moment, the date of
the entry, its place in the log, the place of the receipt among those of free answers) a two-sample
test (Mann and Whitney) and how well one question tells the two tables apart (AUC, 0.5 is chance).
The control is what used to be seen: the moment at which the worker was done. Ends with 1 when
anything that can be seen is told apart, or the control is not (both at 1e-4). With `--cubes` the
question is one that a cube answers, and the worker's moment must not be told apart either.
"""

import argparse
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

_ALARM = 1e-4
_CONTROL = "the worker was done (control, not visible)"
_FREE_EVERY = 0.05
_ROWS_OF_ONE = 3


@dataclass
class Seen:
    """What was seen of the questions about one table, by what it is."""

    values: dict[str, list[float]] = field(default_factory=dict)
    doublings: int = 0

    def note(self, **values: float) -> None:
        """One question."""
        for name, value in values.items():
            self.values.setdefault(name, []).append(value)


def main() -> None:
    """Ask, look and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--profile", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--people", type=int, default=12_000)
    parser.add_argument("--cubes", action="store_true")
    options = parser.parse_args()
    with installed(options.profile) as worker_environment:
        seen, class_ms = attack(options, worker_environment)
    found = {name: compare(seen, name) for name in next(iter(seen.values())).values}
    rows = options.people * _ROWS_OF_ONE
    print(f"\n{options.profile}: {options.questions} questions, {rows:,} rows, class {class_ms} ms")
    said = ", ".join(f"{one.doublings} of {table}" for table, one in seen.items())
    print(f"doublings: {said}\n")
    print("| what is seen | AUC | p |\n|---|---|---|")
    for name, (auc, p) in found.items():
        print(f"| {name} | {auc:.3f} | {p:.2g} |")
    told = [name for name, (_, p) in found.items() if p < _ALARM]
    if told != ([] if options.cubes else [_CONTROL]):
        sys.exit(f"told apart: {told}")


@contextmanager
def installed(profile: str) -> Iterator[dict[str, str]]:
    """A migrated installation; what the environment of its worker and sweeper has beside ours."""
    if profile == "postgresql":
        from bench.rig import installation, set_up_django

        with installation(durable=False) as made:
            set_up_django()
            (made.home / "state").mkdir(exist_ok=True)
            yield {"DPGOV_DATABASE_URL": made.app_url}
        return
    with tempfile.TemporaryDirectory(prefix="dpgov-bench-") as home:
        os.environ |= {
            "DPGOV_HOME": home,
            "DPGOV_HTTPS": "0",
            "DPGOV_LOG_LEVEL": "ERROR",
            "DJANGO_SETTINGS_MODULE": "dpgov.settings",
        }
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        yield {}


def attack(options: argparse.Namespace, environment: dict[str, str]) -> tuple[dict[str, Seen], int]:
    """Ask about both tables in a random order, and look as closely as one can."""
    from bench.timing_tables import Tables

    tables = Tables.registered(options.people, _ROWS_OF_ONE, cubed=options.cubes)
    names = [name for name in tables.datasets for _ in range(options.questions // 2)]
    random.shuffle(names)
    seen = {name: Seen() for name in tables.datasets}
    with running(environment):
        tables.prepare()
        for name in names:
            query, looks = _ask_and_look(tables, name)
            seen[name].note(**looks)
            seen[name].doublings += query.doublings
    return seen, query.class_ms


def _ask_and_look(tables: Any, name: str) -> tuple[Any, dict[str, float]]:
    query = tables.ask(name)
    start, sealed, next_free, free = time.perf_counter(), 0.0, 0.0, 0
    while True:
        query.refresh_from_db(fields=["state", "due_at", "visible_at", "doublings", "class_ms"])
        passed = time.perf_counter() - start
        if query.due_at is not None and not sealed:
            sealed = passed
        if query.state in query.ENDED:
            break
        if passed >= next_free:
            free += bool(tables.take())
            next_free = time.perf_counter() - start + _FREE_EVERY
        time.sleep(0.002)
    seen = time.perf_counter() - start
    submitted, released = tables.places(query)
    return query, {
        _CONTROL: sealed,
        "the answer appeared": seen,
        "the date of its entry": (query.visible_at - query.submitted_at) / timedelta(seconds=1),
        "its place in the log after the question's": released - submitted,
        "its receipt, among those of free answers": released - submitted - free,
    }


@contextmanager
def running(environment: dict[str, str]) -> Generator[None]:
    """A worker and a sweeper, gone afterwards."""
    celery = [sys.executable, "-m", "celery", "-A", "dpgov", "worker", "--pool", "solo"]
    commands = (
        [*celery, "--loglevel", "ERROR", "--without-gossip", "--without-mingle"],
        [sys.executable, str(ROOT / "manage.py"), "sweep", "--every", "1"],
    )
    processes = [
        subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for command in commands
    ]
    try:
        yield
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGTERM)
        for process in processes:
            process.wait()


def compare(seen: dict[str, Seen], name: str) -> tuple[float, float]:
    """AUC (at least 0.5) and the p of Mann and Whitney, by the normal approximation with ties."""
    first, second = (one.values[name] for one in seen.values())
    ranks = _ranks([*first, *second])
    n, m = len(first), len(second)
    u = sum(ranks[:n]) - n * (n + 1) / 2
    ties = sum(t**3 - t for t in _ties([*first, *second]))
    total = n + m
    variance = n * m / 12 * ((total + 1) - ties / (total * (total - 1)))
    auc = u / (n * m)
    p = 1.0 if variance <= 0 else math.erfc(abs(u - n * m / 2) / math.sqrt(2 * variance))
    return max(auc, 1 - auc), p


def _ranks(values: Sequence[float]) -> list[float]:
    """From 1; equal values share the mean of their places."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    place = 0
    while place < len(order):
        end = place
        while end < len(order) and values[order[end]] == values[order[place]]:
            end += 1
        for index in order[place:end]:
            ranks[index] = (place + 1 + end) / 2
        place = end
    return ranks


def _ties(values: Sequence[float]) -> Iterator[int]:
    counts: dict[float, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    yield from counts.values()


if __name__ == "__main__":
    main()
