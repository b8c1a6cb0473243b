"""When something is first seen of a page: Chromium before gunicorn, over the filled database."""

import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.error import HTTPError

from bench.rig import ROOT, Installation
from tests.journeys.browser import ARGUMENTS
from tests.servers.loopback import free_port, stop, wait_until

_ROUNDS = 5
_SEEN = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"


def paint(made: Installation, guests: Any, pages: Sequence[Any]) -> None:
    """The median and the slowest first contentful paint of each of these pages, unseen before."""
    from playwright.sync_api import sync_playwright

    print("\n| page | as | first contentful paint, median | slowest |\n|---|---|---|---|")
    with _served(made) as address, sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(
            executable_path=path, args=[*ARGUMENTS, "--no-sandbox"]
        )
        for one in pages:
            cookies = guests.browsers[one.role].cookies.items()
            found = sorted(_first_seen(browser, address, one.url, cookies) for _ in range(_ROUNDS))
            print(
                f"| {one.name} | {one.role} | {found[_ROUNDS // 2]:.0f} ms | {found[-1]:.0f} ms |"
            )
        browser.close()


def _first_seen(browser: Any, address: str, url: str, cookies: Any) -> float:
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        context.add_cookies(
            [{"name": name, "value": kept.value, "url": address} for name, kept in cookies]
        )
        page = context.new_page()
        page.goto(f"{address}{url}")
        page.wait_for_function(f"() => {_SEEN} > 0")
        return float(page.evaluate(_SEEN))


@contextmanager
def _served(made: Installation) -> Generator[str]:
    """As in production: two worker processes, files from the state folder."""
    environment = os.environ | {"DPGOV_DATABASE_URL": made.app_url}
    collect = [sys.executable, str(ROOT / "manage.py"), "collectstatic", "--noinput", "-v0"]
    subprocess.run(collect, env=environment, check=True)
    address = f"127.0.0.1:{free_port()}"
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "dpgov.wsgi",
        "-b",
        address,
        "-w",
        "2",
        "--no-control-socket",
    ]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    try:
        wait_until(lambda: _answers(f"http://{address}/account/login/"), process, "gunicorn")
        yield f"http://{address}"
    finally:
        stop(process, signal.SIGTERM)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - an address of ours
            return True
    except HTTPError:
        return True
    except OSError:
        return False
