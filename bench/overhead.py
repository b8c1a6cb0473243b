"""What a request to the API takes beside a bare Django view that makes one query.

`uv run bench/overhead.py [--rows 1000] [--requests 300]`: the embedded default, and a bare view
over the same database; each behind gunicorn with one process and an open connection, in turns.
Medians and 95 of 100, from the first byte sent to the last one read. The aims: a quote within
30 ms, and read and quote within twice the bare view.
"""

import argparse
import http.client
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from django.core.management import call_command

from bench.journey import HOME, ROOT, invent, register
from bench.served import served
from tests.cast import make_token

# As the product is served, but for what it loads.
_LIKE_OURS = ("-k", "gthread", "--threads", "8", "--keep-alive", "130")
_SLOWEST = 0.95
_PLAN = {"statistics": [{"statistic": "mean", "column": "age"}], "epsilon": 0.1}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, as often as one likes."""

    name: str
    connection: http.client.HTTPConnection
    method: str
    path: str
    body: str | None
    headers: Mapping[str, str]

    def seconds(self) -> float:
        """Of one; the process ends where it is refused."""
        begun = time.perf_counter()
        self.connection.request(self.method, self.path, self.body, dict(self.headers))
        answer = self.connection.getresponse()
        answer.read()
        spent = time.perf_counter() - begun
        if answer.status != http.client.OK:
            raise SystemExit(f"{self.name}: {answer.status}")
        return spent


def main() -> None:
    """Register, ask in turns, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--requests", type=int, default=300)
    options = parser.parse_args()
    call_command("migrate", verbosity=0, interactive=False)
    dataset, analyst = register(invent(options.rows), options.rows)
    _, token = make_token(analyst, "bench")
    with _asked(dataset.slug, token) as asked:
        turns = [[each.seconds() for each in asked] for _ in range(options.requests)]
    print("\n| request | median | 95 of 100 within | of the bare view |")
    print("|---|---|---|---|")
    spent = [sorted(each) for each in zip(*turns[len(turns) // 10 :], strict=True)]
    bare = statistics.median(spent[0])
    for each, found in zip(asked, spent, strict=True):
        median, slow = statistics.median(found), found[int(len(found) * _SLOWEST)]
        print(
            f"| {each.name} | {1000 * median:.1f} ms | {1000 * slow:.1f} ms | {median / bare:.1f} |"
        )


@contextmanager
def _asked(slug: str, token: str) -> Iterator[list[Asked]]:
    plain = os.environ | {"PYTHONPATH": str(ROOT)}
    over = plain | {"BARE_DATABASE": str(HOME / "dpgov.sqlite3")}
    ours = plain | {"DPGOV_LOG_LEVEL": "ERROR", "DPGOV_RATE_PERSON": "1000000"}
    ours |= {"DPGOV_RATE_ORGANISATION": "1000000"}
    headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
    one = f"/api/v1/datasets/{slug}/"
    with (
        served("bench.bare", over, processes=1, answers="/", options=_LIKE_OURS) as bare,
        served("dpgov.wsgi", ours, processes=1, answers="/healthz") as site,
    ):
        there = http.client.HTTPConnection(urlsplit(site).netloc)
        yield [
            Asked(
                "bare view", http.client.HTTPConnection(urlsplit(bare).netloc), "GET", "/", None, {}
            ),
            Asked("read a dataset", there, "GET", one, None, headers),
            Asked("quote", there, "POST", f"{one}quote/", json.dumps(_PLAN), headers),
        ]


if __name__ == "__main__":
    main()
