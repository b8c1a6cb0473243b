"""A person at a browser: signs in, reads pages, and minds every error in the console."""

import os
import re
from pathlib import Path

from playwright.sync_api import Browser, ConsoleMessage, Page

from tests.journeys.product import Product
from tests.journeys.settled import note_leaving, settle

ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PICTURES = Path(os.environ.get("DPGOV_SCREENSHOTS", "test-results"))
_WIDTHS = {"1280": (1280, 900), "360": (360, 740)}
# A chart takes its new width a moment after the window has it.
_CHARTS_FIT = """() => [...document.querySelectorAll(".chart")].every((chart) => {
  const drawn = chart.querySelector(".main-svg");
  return !drawn || Math.abs(drawn.getBoundingClientRect().width - chart.clientWidth) < 2;
})"""


class Visitor:
    """One browser window of one person."""

    def __init__(self, browser: Browser, product: Product, locale: str = "en-GB") -> None:
        self.product = product
        self.complaints: list[str] = []
        self.expected = re.compile(r"(?!)")
        self._context = browser.new_context(
            base_url=product.url,
            viewport={"width": 1280, "height": 900},
            locale=locale,
            reduced_motion="reduce",
        )
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(15_000)
        note_leaving(self.page)
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def sign_in(self, address: str) -> Page:
        """Sign in as one of the demonstration's people; a second time, with the first session."""
        if cookies := self.product.sessions.get(address):
            self._context.add_cookies(cookies)
            self.page.goto("/")
            return self.page
        self.page.goto("/account/login/")
        self.page.get_by_label("Email").fill(f"{address}@example.org")
        self.page.get_by_label("Password").fill(self.product.password)
        self.page.get_by_role("button", name="Sign in", exact=True).click()
        self.page.wait_for_url(f"{self.product.url}/")
        self.product.sessions[address] = self._context.cookies()
        return self.page

    def picture(self, name: str) -> None:
        """The page as it is now: light and dark, wide and narrow."""
        picture(self.page, name)

    def fits(self, name: str) -> None:
        """The page as it is now needs no sideways scrolling, wide and narrow."""
        fits(self.page, name)

    def close(self) -> None:
        """Close the window."""
        self._context.close()

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not self.expected.search(message.text):
            self.complaints.append(f"{self.page.url}: {message.text}")


def picture(page: Page, name: str) -> None:
    """The page as it is now: light and dark, wide and narrow."""
    settle(page)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for width in _WIDTHS:
            _be_as_wide_as(page, width, name)
            page.screenshot(path=PICTURES / f"{name}-{theme}-{width}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})


def fits(page: Page, name: str) -> None:
    """The page as it is now needs no sideways scrolling, wide and narrow."""
    settle(page)
    for width in _WIDTHS:
        _be_as_wide_as(page, width, name)


def _be_as_wide_as(page: Page, width: str, name: str) -> None:
    across, down = _WIDTHS[width]
    page.set_viewport_size({"width": across, "height": down})
    page.wait_for_function(_CHARTS_FIT)
    excess = page.evaluate(
        "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert excess <= 0, f"{name} scrolls sideways by {excess} px at {width} px"
