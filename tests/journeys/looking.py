"""What whoever looks at a page finds: its pictures, and what a screen reader stumbles over."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.journeys.browser import picture
from tests.journeys.settled import settle


def look_at(page: Page, name: str) -> None:
    """Take its pictures; it needs no sideways scrolling, and axe finds nothing in either theme."""
    picture(page, name)
    assert accessibility_problems(page) == []


def accessibility_problems(page: Page) -> list[str]:
    """What axe finds in light and in dark: rule and place."""
    settle(page)
    found = []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for violation in Axe().run(page).response["violations"]:
            places = [node["target"] for node in violation["nodes"]]
            found.append(f"{theme}: {violation['id']} at {places}")
    page.emulate_media(color_scheme="light")
    return found
