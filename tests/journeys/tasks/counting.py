"""What a task takes: pages and clicks, counted in the browser from a person's desk on.

A page is a document that the window loads; what htmx swaps in is none, and neither is the page that
shows how far a file is read, which a fast reader leaves out. A click is a press of the mouse, and a
field that is filled in or chosen from a list counts as one too.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from playwright.sync_api import Page

from tests.journeys.settled import settle

Journey = Callable[..., None]

# Kept for the tab, so that a press which leaves the page is not lost with it.
_COUNT_PRESSES = """
(() => {
  const count = () => {
    const before = Number(sessionStorage.getItem("presses"));
    sessionStorage.setItem("presses", before + 1);
  };
  let at = null;
  addEventListener("pointerdown", (event) => { at = event.target; count(); }, true);
  const typing = (event) => {
    if (!event.isTrusted || event.target === at) return;
    const typed = "textarea, [contenteditable=true], input:not([type=checkbox], [type=radio])";
    if (event.target.matches(typed)) count();
    at = event.target;
  };
  // An editor that takes its text from the browser's EditContext has the first of these alone.
  addEventListener("beforeinput", typing, true);
  addEventListener("input", typing, true);
  addEventListener("change", (event) => {
    if (!event.isTrusted && event.target.matches("select, [type=file], [type=date]")) count();
  }, true);
})();
"""
# Where people wait for a file to be read, and are sent on from.
_WAITING = re.compile(r"/datasets/(new/[0-9a-f-]{36}/reading|derived/[0-9a-f-]{36})/$")


class Role(StrEnum):
    """Whose task it is, which is also the name of a person of the demonstration.

    Whoever is invited is nobody yet.
    """

    OWNER = "owner"
    ANALYST = "analyst"
    OFFICER = "officer"
    ADMIN = "admin"
    INVITED = "invited"


@dataclass(frozen=True, slots=True)
class Effort:
    """How many pages and clicks a task takes."""

    pages: int
    clicks: int


@dataclass(frozen=True, slots=True)
class Task:
    """One line of the list: who does what, and the effort that it is promised to take."""

    role: Role
    words: str
    effort: Effort


def task(role: Role, *, pages: int, clicks: int) -> Callable[[Journey], Journey]:
    """Puts a journey on the list; its name says what is done, and it must take exactly this."""

    def listed(journey: Journey) -> Journey:
        words = journey.__name__.removeprefix("test_").replace("_", " ")
        journey.__dict__["task"] = Task(role, words, Effort(pages, clicks))
        return journey

    return listed


def task_of(journey: Any) -> Task | None:
    """The task of a test function, if it is one."""
    found = getattr(journey, "task", None)
    return found if isinstance(found, Task) else None


@contextmanager
def held_to(journey: Any, page: Page, begin: Callable[[], object]) -> Iterator[None]:
    """Whoever begins here takes as many pages and clicks as the list says of this journey."""
    wanted = task_of(journey)
    assert wanted is not None, "a task says whose it is: @task(role, pages=…, clicks=…)"
    counter = Counter(page)
    begin()
    counter.start()
    yield
    took = counter.counted()
    told = f"it took {took}: {counter.loaded}; mend the pages, or what the list says"
    assert took == wanted.effort, told


class Counter:
    """Counts in one window, from the page that it shows now."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.loaded: list[str] = []
        page.add_init_script(_COUNT_PRESSES)

    def start(self) -> None:
        """Begin at the page that is open."""
        settle(self._page)
        self._page.evaluate("sessionStorage.removeItem('presses')")
        self._page.on("domcontentloaded", self._loaded)

    def counted(self) -> Effort:
        """What it took so far."""
        settle(self._page)
        presses = self._page.evaluate("Number(sessionStorage.getItem('presses'))")
        return Effort(len(self.loaded), int(presses))

    def _loaded(self, page: Page) -> None:
        if not _WAITING.search(page.url):
            self.loaded.append(page.url)
