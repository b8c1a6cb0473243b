"""Nobody acts on a page, or looks at one, that is still being loaded or is about to go.

A click returns before the browser has begun to leave the page, so what comes next may meet the page
that was there before, one without its scripts, or, between the two, no document at all.
"""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

# What follows a link or sends a form leaves the page, unless a script took the event for itself.
_NOTE_LEAVING = """
(() => {
  const note = (leaves) => { window.isBeingLeft = leaves; };
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || link.target === "_blank") return;
    const isElsewhere = link.href.split("#")[0] !== location.href.split("#")[0];
    if (isElsewhere && link.protocol.startsWith("http")) note(true);
  });
  addEventListener("submit", (event) => { if (!event.defaultPrevented) note(true); });
  addEventListener("pageshow", () => note(false));
})();
"""
_HAS_SETTLED = "() => document.readyState === 'complete' && !window.isBeingLeft"
_ACTIONS = (
    "check",
    "click",
    "count",
    "evaluate",
    "fill",
    "focus",
    "is_visible",
    "press",
    "press_sequentially",
    "select_option",
    "set_input_files",
    "uncheck",
)
_downloads: set[Page] = set()


def note_leaving(page: Page) -> None:
    """From now on `settle` knows when this page is being left."""
    page.add_init_script(_NOTE_LEAVING)
    # A download begins like a new page, and the old one stays.
    page.on("download", lambda _: _downloads.add(page))


def settle(page: Page) -> None:
    """Wait for the page that the last action led to, with its scripts."""
    if page in _downloads:
        _downloads.discard(page)
        page.evaluate("window.isBeingLeft = false")
    page.wait_for_function(_HAS_SETTLED)


def settle_before_every_action(patch: pytest.MonkeyPatch) -> None:
    """Whatever a journey does to an element, or asks of it, waits for the page first."""
    for name in _ACTIONS:
        patch.setattr(Locator, name, _after_settling(getattr(Locator, name)))


def _after_settling(action: Callable[..., Any]) -> Callable[..., Any]:
    def act(locator: Locator, *arguments: Any, **options: Any) -> Any:
        settle(locator.page)
        return action(locator, *arguments, **options)

    return act
