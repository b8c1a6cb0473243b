"""J1: the headers of every route, for whoever asks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.access.doors import DOORS, Kind
from tests.integration.access.routes import all_routes
from tests.integration.access.world import World

ROUTES = {route.name: route for route in all_routes()}
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
@pytest.mark.parametrize("name", sorted(ROUTES))
def test_every_route_answers_with_the_protecting_headers(name: str, world: World) -> None:
    """J1: pages, fragments, downloads, API answers, refusals and missing things alike."""
    route, kind = ROUTES[name], DOORS[name].kind
    for actor in ("anonymous", "officer"):
        for thing in ("own", "missing"):
            answer = world.knock(actor, kind, "GET", world.url(route, actor, thing))
            _assert_protected(answer.headers)


def _assert_protected(headers: object) -> None:
    policy = headers["Content-Security-Policy"]
    assert "unsafe-inline" not in policy
    assert "unsafe-eval" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.django_db
def test_a_path_that_nobody_serves_is_protected_too(world: World) -> None:
    """J1"""
    answer = world.knock("officer", Kind.PAGE, "GET", "/no/such/page/")
    assert answer.status_code == 404
    _assert_protected(answer.headers)


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
