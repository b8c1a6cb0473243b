"""What an answer of very many bins takes, from asking to the file that is taken away.

`uv run bench/many_bins.py [--bins 10x10 100x100 100x100x10 100x100x100] [--rows 1000000]
[--rho 0 1]`: an installation of its own in a process of its own for each line, one table of three
declared columns. Each step is timed, by the clock and (in brackets) by processors, and its highest
memory is told apart from that of the others: asking, the worker (scan, noise, sealing), publishing,
the page, the CSV file. `class` is the
moment at which the answer appears, which follows from the plan; `body` is what is stored. With
`--rho 1` noise is discrete Gaussian, which takes longest. Nothing of it is read when the product
runs.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import prod
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

_COLUMNS = "abc"
_MOST_BINS = 1_000
_HEAD = ("ask", "worker", "publish", "page", "CSV")


@dataclass(frozen=True, slots=True)
class Step:
    """Seconds on the clock and of processors, and the most memory that the process had, in MB."""

    seconds: float
    of_processors: float
    megabytes: int

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s ({self.of_processors:.2f} s), {self.megabytes} MB"


def main() -> None:
    """One process for each line of the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    usual = ["10x10", "100x100", "100x100x10", "100x100x100"]
    parser.add_argument("--bins", nargs="+", default=usual)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rho", type=int, nargs="+", default=[0, 1], help="0 counts ε, 1 counts ρ")
    parser.add_argument("--line", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.line:
        print(_line(options.bins[0], options.rows, bool(options.rho[0])), flush=True)
        return
    print(f"| bins | noise | class | {' | '.join(_HEAD)} | body |")
    print("|---:|---|---:|" + "---|" * len(_HEAD) + "---:|", flush=True)
    for rho in options.rho:
        for bins in options.bins:
            command = [sys.executable, __file__, "--line", "--bins", bins]
            command += ["--rows", str(options.rows), "--rho", str(rho)]
            subprocess.run(command, check=True)


def _line(bins: str, rows: int, rho: bool) -> str:
    from bench.timing import installed

    sizes = [int(size) for size in bins.split("x")]
    with installed("sqlite"):
        cast = _Cast(sizes, rows, rho=rho)
        query, asked = _measured(cast.ask)
        _, worked = _measured(cast.work)
        _, published = _measured(lambda: cast.publish(query))
        browser, at = cast.browser(), f"/queries/{query.pk}/"
        _taken(browser.get("/"))
        _, page = _measured(lambda: _taken(browser.get(at)))
        _, file = _measured(lambda: _taken(browser.get(f"{at}download/csv/")))
        steps = " | ".join(map(str, (asked, worked, published, page, file)))
        noise = "discrete Gaussian" if rho else "discrete Laplace"
        size = cast.stored_bytes(query) / 1e6
        waits = query.class_ms / 1000
        return f"| {prod(sizes):,} | {noise} | {waits:g} s | {steps} | {size:.1f} MB |"


def _measured(go: Callable[[], Any]) -> tuple[Any, Step]:
    """What came of it, and what it took; the highest memory is counted from here."""
    Path("/proc/self/clear_refs").write_text("5")
    began, used = time.perf_counter(), time.process_time()
    found = go()
    seconds, used = time.perf_counter() - began, time.process_time() - used
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return found, Step(seconds, used, int(lines["VmHWM"].split()[0]) // 1000)


def _taken(response: Any) -> int:
    """Every byte of it, and how many there were."""
    if response.status_code >= 400:
        sys.exit(f"status {response.status_code}")
    return sum(map(len, response))


class _Cast:
    """An owner's table and an analyst who asks about it."""

    def __init__(self, sizes: list[int], rows: int, *, rho: bool) -> None:
        from bench.timing_tables import person
        from dpgov.tenants.models import Role, Tenant

        Path(os.environ["DPGOV_HOME"]).mkdir(exist_ok=True)
        self.sizes, self.rho = sizes, rho
        tenant = Tenant.objects.create(slug="bins", name="Bins")
        self.owner, self.analyst = (person(tenant, role) for role in (Role.OWNER, Role.ANALYST))
        self.dataset = self._registered(rows)

    def _registered(self, rows: int) -> Any:
        from dpgov.datasets.declaration import Declaration
        from dpgov.datasets.services import receive_upload, register_dataset
        from dpgov.privacy.accounting.decimals import NANO
        from dpgov.privacy.accounting.loss import Mode
        from dpgov.privacy.plan.domains import category_domain, column_spec
        from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit

        owner = self.owner
        upload = receive_upload(
            tenant=owner.tenant, uploader=owner.user, name="rows.csv", chunks=self._rows(rows)
        )
        columns = tuple(
            column_spec(name, category_domain(self._names(size)), MissingRule.DROP, "")
            for name, size in zip(_COLUMNS, self.sizes, strict=False)
        )
        schema = DatasetSchema(
            columns,
            PrivacyUnit(),
            Neighbouring.ADD_REMOVE,
            1,
            2 * rows,
            public_rows=rows,
            mode=Mode.ZCDP if self.rho else Mode.PURE,
        )
        delta, most = Decimal("1e-6") if self.rho else None, 100 * NANO
        declared = Declaration("bins", "Invented rows.", schema, most, most, delta=delta)
        return register_dataset(
            tenant=owner.tenant, owner=owner.user, upload=upload, declaration=declared
        ).dataset

    @staticmethod
    def _names(size: int) -> list[str]:
        return [f"n{place}" for place in range(size - 1)]

    def _rows(self, rows: int) -> Iterator[bytes]:
        yield (",".join(_COLUMNS[: len(self.sizes)]) + "\n").encode()
        for first in range(0, rows, 10_000):
            lines = (
                ",".join(
                    f"n{row * (7 + 4 * at) // (13**at) % (size - 1)}"
                    for at, size in enumerate(self.sizes)
                )
                for row in range(first, min(rows, first + 10_000))
            )
            yield ("\n".join(lines) + "\n").encode()

    def ask(self) -> Any:
        from dpgov.queries.asking.submit import submit

        groups = [
            {"column": name, "categories": self._names(size)}
            for name, size in zip(_COLUMNS, self.sizes, strict=False)
        ]
        plan = {"dataset": self.dataset.slug, "statistics": [{"statistic": "count"}]}
        plan |= {"group_by": groups, "rho" if self.rho else "epsilon": 1}
        key = str(uuid4())
        return submit(
            membership=self.analyst, dataset=self.dataset, raw_plan=plan, idempotency_key=key
        ).query

    def work(self) -> None:
        from dpgov.queries.answering.answer import answer_next

        if not answer_next():
            sys.exit("nothing was answered")

    def publish(self, query: Any) -> None:
        from dpgov.queries.answering.publishing import publish

        if not publish(query.pk):
            sys.exit("nothing was published")

    def stored_bytes(self, query: Any) -> int:
        from dpgov.queries.models import Release

        return len(Release.objects.get(query=query).body)

    def browser(self) -> Any:
        from django.conf import settings
        from django.test import Client

        settings.ALLOWED_HOSTS = ["testserver"]
        browser = Client()
        browser.force_login(self.analyst.user)
        return browser


if __name__ == "__main__":
    main()
