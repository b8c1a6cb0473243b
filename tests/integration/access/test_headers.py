"""J1: the headers of every route, for whoever asks."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.integration.access.doors import DOORS
from tests.integration.access.routes import Kind, all_routes
from tests.integration.access.world import World

ROUTES = {route.name: route for route in all_routes()}
EXPECTED = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
# Shows a stranger nothing of anybody, so that their own browser may keep it.
OF_NOBODY = {"explain:lessons", "explain:lesson"}
OF_HTTPS = """
import json, django
django.setup()
from django.test import Client
answers = {}
login, api = "/account/login/", "/api/v1/datasets/"
for path, secure in ((login, True), (login, False), (api, True)):
    answer = Client(HTTP_HOST="localhost").get(path, secure=secure)
    answers[f"{path} {secure}"] = [answer.status_code, dict(answer.headers)]
print(json.dumps(answers))
"""


@pytest.mark.django_db
def test_every_route_answers_with_the_protecting_headers(world: World) -> None:
    """J1: pages, fragments, downloads, API answers, refusals and missing things alike."""
    for name, route in ROUTES.items():
        for actor in ("anonymous", "officer"):
            for thing in ("own", "missing"):
                url = world.url(route, actor, thing)
                answer = world.knock(actor, DOORS[name].kind, "GET", url)
                found = _unprotected(answer.headers)
                if name in OF_NOBODY and actor == "anonymous" and answer.status_code == 200:
                    assert found.pop("Cache-Control") == "private, max-age=300"
                assert found == {}, f"{name} as {actor}, {thing}"


def _unprotected(headers: Mapping[str, str]) -> dict[str, str | None]:
    """The headers that are missing or too lax, as they came."""
    policy = headers.get("Content-Security-Policy", "")
    strict = all(part in policy for part in ("default-src 'none'", "frame-ancestors 'none'"))
    lax = {name: headers.get(name) for name in EXPECTED if headers.get(name) != EXPECTED[name]}
    return lax if strict and "unsafe" not in policy else {**lax, "policy": policy}


@pytest.mark.django_db
def test_a_path_that_nobody_serves_is_protected_too(world: World) -> None:
    """J1"""
    answer = world.knock("officer", Kind.PAGE, "GET", "/no/such/page/")
    assert answer.status_code == 404
    assert _unprotected(answer.headers) == {}


def test_with_https_browsers_are_told_to_stay_on_it(tmp_path: Path) -> None:
    """J1: HSTS, and plain HTTP is sent to HTTPS."""
    run = _python(["-c", OF_HTTPS], tmp_path)
    assert run.returncode == 0, run.stderr
    answers = json.loads(run.stdout.splitlines()[-1])
    status, headers = answers["/account/login/ True"]
    assert status == 200
    assert headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"
    assert answers["/api/v1/datasets/ True"][1]["Strict-Transport-Security"]
    status, headers = answers["/account/login/ False"]
    assert (status, headers["Location"]) == (301, "https://localhost/account/login/")


def test_the_deployment_check_has_nothing_to_say(tmp_path: Path) -> None:
    """J1"""
    run = _python(["manage.py", "check", "--deploy", "--fail-level", "DEBUG"], tmp_path)
    assert run.returncode == 0, run.stderr
    assert "no issues" in run.stdout


def _python(arguments: list[str], home: Path) -> subprocess.CompletedProcess[str]:
    """A fresh process in the embedded profile with HTTPS, as an operator would start it."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment = kept | {
        "DPGOV_HOME": str(home),
        "DPGOV_HTTPS": "1",
        "DJANGO_SETTINGS_MODULE": "dpgov.settings",
    }
    return subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False
    )
