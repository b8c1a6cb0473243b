"""When something is first seen of a page, and how far it moves: Chromium before gunicorn."""

import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from bench.rig import ROOT, Installation
from bench.served import served
from tests.journeys.browser import ARGUMENTS
from tests.servers.missing import find_browser

_ROUNDS = 5
# The aims: something is seen within a second, and no layout shift above 0.05.
_MS, _SHIFT = 1000, 0.05
_SEEN = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
# Every shift that nobody caused by pressing something: the sum, of which CLS is the worst window.
_NOTE_SHIFTS = """
window.shifted = 0;
window.shiftedAt = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  window.shiftedAt = performance.now();
}).observe({type: "layout-shift", buffered: true});
"""
# Loaded, its charts drawn, what was asked for afterwards swapped in, and still for a while.
_IS_STILL = """() => document.readyState === "complete"
  && !document.querySelector(".htmx-request")
  && [...document.querySelectorAll(".chart[data-figure]")].every(
    (chart) => chart.dataset.drawn || !chart.offsetParent)
  && performance.now() - Math.max(window.shiftedAt, performance.timing.loadEventEnd
    - performance.timing.navigationStart) > 500"""


def paint(made: Installation, guests: Any, pages: Sequence[Any]) -> None:
    """Of each of these pages, unseen before: first contentful paint, and the sum of its shifts."""
    from playwright.sync_api import sync_playwright

    print("\n| page | as | first contentful paint, median | slowest | layout shift, worst |")
    print("|---|---|---|---|---|")
    with _served(made) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=[*ARGUMENTS, "--no-sandbox"]
        )
        # What has answered nothing yet takes a second longer, whichever page comes first.
        for _ in range(_ROUNDS):
            for one in pages[:1]:
                cookies = guests.browsers[one.role].cookies.items()
                _first_seen(browser, address, one.url, cookies)
        for one in pages:
            cookies = guests.browsers[one.role].cookies.items()
            found = [_first_seen(browser, address, one.url, cookies) for _ in range(_ROUNDS)]
            painted = sorted(moment for moment, _ in found)
            shifted = max(shift for _, shift in found)
            mark = " **falls short**" if painted[_ROUNDS // 2] > _MS or shifted > _SHIFT else ""
            print(
                f"| {one.name}{mark} | {one.role} | {painted[_ROUNDS // 2]:.0f} ms "
                f"| {painted[-1]:.0f} ms | {shifted:.3f} |",
                flush=True,
            )
        browser.close()


def _first_seen(browser: Any, address: str, url: str, cookies: Any) -> tuple[float, float]:
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        context.add_cookies(
            [{"name": name, "value": kept.value, "url": address} for name, kept in cookies]
        )
        page = context.new_page()
        page.add_init_script(_NOTE_SHIFTS)
        page.goto(f"{address}{url}")
        page.wait_for_function(f"() => {_SEEN} > 0")
        page.wait_for_function(_IS_STILL)
        return float(page.evaluate(_SEEN)), float(page.evaluate("window.shifted"))


@contextmanager
def _served(made: Installation) -> Generator[str]:
    """As in production: two worker processes, files from the state folder."""
    environment = os.environ | {"DPGOV_DATABASE_URL": made.app_url}
    collect = [sys.executable, str(ROOT / "manage.py"), "collectstatic", "--noinput", "-v0"]
    subprocess.run(collect, env=environment, check=True)
    with served("dpgov.wsgi", environment, processes=2, answers="/account/login/") as address:
        yield address
