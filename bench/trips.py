"""Counts the files of the product that a few trips enter, how often they change file, and SQL.

`uv run bench/trips.py`: an installation of its own, one small dataset, each trip once to load what
is loaded late and once to be counted. It says what a newcomer has to read; nothing is timed.
`--files` lists what the last line of the table counts: lines, modules that import it, trips, name.
"""

import argparse
import ast
import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
HOME = Path(tempfile.mkdtemp(prefix="dpgov-bench-"))
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
os.environ |= {
    "DPGOV_HOME": str(HOME),
    "DPGOV_HTTPS": "0",
    "DPGOV_LOG_LEVEL": "ERROR",
    "DPGOV_ALLOWED_HOSTS": "testserver",
    "DJANGO_SETTINGS_MODULE": "dpgov.settings",
}
sys.path.insert(0, str(ROOT))

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from bench.cast import Cast, make_cast  # noqa: E402
from dpgov.audit.actor import OPERATOR  # noqa: E402
from dpgov.operation.clock import database_now  # noqa: E402
from dpgov.queries.answering.answer import answer_next  # noqa: E402
from dpgov.queries.answering.publishing import publish_due  # noqa: E402
from dpgov.queries.models import Query  # noqa: E402
from dpgov.tenants.tokens import create_token  # noqa: E402

_OURS = str(ROOT / "dpgov") + os.sep
_QUESTION = "ask + answer + chart: different files"
_ASKED = ("GET the ask page", "POST ask", "worker and publisher", "answer page with its chart")


@dataclass
class Trip:
    """What one of them went through."""

    files: set[str] = field(default_factory=set)
    changes: int = 0
    statements: int = 0
    _last: str = ""

    def taken(self, go: Callable[[], Any]) -> Any:
        """Go, and look at every call."""

        def look(frame: FrameType, event: str, _: object) -> None:
            name = frame.f_code.co_filename
            if event == "call" and name.startswith(_OURS):
                self.files.add(name)
                self.changes += name != self._last
                self._last = name

        def count(execute: Any, *asked: Any) -> Any:
            self.statements += 1
            return execute(*asked)

        with connection.execute_wrapper(count):
            sys.setprofile(look)
            try:
                return go()
            finally:
                sys.setprofile(None)


def main() -> None:
    """Take each trip twice and print the second."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--files", action="store_true", help="list the files of a question")
    listed = options.parse_args().files
    call_command("migrate", verbosity=0, interactive=False)
    cast = make_cast("trips", datasets=1)
    _taken(cast)
    trips = _taken(cast)
    print("\n| trip | files entered | changes of file | SQL |\n|---|---:|---:|---:|")
    for name, trip in trips.items():
        print(f"| {name} | {len(trip.files)} | {trip.changes} | {trip.statements} |")
    together = set().union(*(trips[name].files for name in _ASKED))
    print(f"| {_QUESTION} | **{len(together)}** | | |")
    if listed:
        _list(together, [trips[name].files for name in _ASKED])


def _list(files: set[str], trips: list[set[str]]) -> None:
    importers = _importers()
    print("\n| lines | importers | trips | file |\n|---:|---:|---|---|")
    for name in sorted(files):
        path = Path(name).relative_to(ROOT)
        lines = Path(name).read_text().count("\n")
        entered = "".join("x" if name in trip else "." for trip in trips)
        print(f"| {lines} | {len(importers.get(_module(path), ()))} | {entered} | {path} |")


def _importers() -> dict[str, set[str]]:
    """By module: those of ours that import it or a name of it."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "dpgov").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            for name in _imported(node):
                found.setdefault(name, set()).add(str(path))
    return found


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        within = node.module or ""
        return [within, *(f"{within}.{alias.name}" for alias in node.names)]
    return []


def _module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _taken(cast: Cast) -> dict[str, Trip]:
    analyst, owner = Client(), Client()
    for browser, member in ((analyst, cast.analyst), (owner, cast.people["owner"])):
        browser.force_login(member.user)
    place = f"/datasets/{cast.datasets[0].slug}/"
    trips = {}

    def take(name: str, go: Callable[[], Any]) -> Any:
        trips[name] = Trip()
        answer = trips[name].taken(go)
        if hasattr(answer, "status_code") and answer.status_code >= 400:
            sys.exit(f"{name}: {answer.status_code} {answer.content.decode()[:2000]}")
        return answer

    take("GET the ask page", lambda: analyst.get(f"{place}ask/"))
    form = {"key": str(uuid4()), "epsilon": "0.5", "price": "0.5"}
    form |= {"statistic": "0", "statistic-0-kind": "count"}
    take("POST ask", lambda: analyst.post(f"{place}ask/", form))
    take("worker and publisher", _worked)
    query = Query.objects.latest("submitted_at")
    take("answer page with its chart", lambda: analyst.get(f"/queries/{query.pk}/"))
    take("budget page", lambda: owner.get(f"{place}budget/"))
    token = create_token(membership=cast.analyst, name=str(uuid4()), actor=OPERATOR)[1]
    rest = Client(headers={"Authorization": f"Token {token}", "Idempotency-Key": str(uuid4())})
    plan = {"statistics": [{"statistic": "count"}], "epsilon": 0.25}
    door = f"/api/v1{place}queries/"
    take("REST submit", lambda: rest.post(door, plan, content_type="application/json"))
    _worked()
    return trips


def _worked() -> None:
    answer_next()
    publish_due(database_now() + timedelta(minutes=5))


if __name__ == "__main__":
    main()
