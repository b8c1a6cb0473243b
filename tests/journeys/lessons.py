"""A tutorial of docs/tutorials, read as a script.

What stands there in bold is what a person clicks, fills in or sees, section by section; what
stands there as code is what is typed; and each picture is taken where it stands. A lesson holds
the journey to the page and the page to the journey.
"""

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.journeys.browser import PICTURES

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / "docs/tutorials"
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_CODE = re.compile(r"`([^`\n]+)`")
_PICTURE = re.compile(r"!\[[^\]]+\]\(\.\./images/tutorials/([a-z0-9-]+)\.webp\)")
_SCROLL = """([node, above]) => {
  const top = node ? node.getBoundingClientRect().top + window.scrollY - above : 0;
  window.scrollTo({top, behavior: "instant"});
}"""


@dataclass(frozen=True, slots=True)
class Section:
    """What one section of a tutorial tells its reader to do, type and look at."""

    bold: frozenset[str]
    code: frozenset[str]
    pictures: tuple[str, ...]


@dataclass(slots=True)
class Doing:
    """What was done in a section so far."""

    named: set[str] = field(default_factory=set)
    typed: set[str] = field(default_factory=set)
    pictures: list[str] = field(default_factory=list)


def sections_of(name: str) -> dict[str, Section]:
    """The sections of a tutorial by title, in order."""
    text = (TUTORIALS / f"{name}.md").read_text()
    _, *parts = _SECTION.split(re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    return {title: _section(body) for title, body in zip(parts[::2], parts[1::2], strict=True)}


def _section(body: str) -> Section:
    plain = " ".join(body.split())
    bold, code = _BOLD.findall(plain), _CODE.findall(plain)
    return Section(frozenset(bold), frozenset(code), tuple(_PICTURE.findall(body)))


class Lesson:
    """Somebody who follows a tutorial to the letter, at one page of a browser after another."""

    def __init__(self, name: str, page: Page) -> None:
        self.page = page
        self._name = name
        self._sections = sections_of(name)
        self._doing = Doing()
        self._done: list[str] = []

    @contextmanager
    def section(self, title: str) -> Generator[None]:
        """Everything that one section says, and nothing that it does not say."""
        self._doing = Doing()
        yield
        said = self._sections[title]
        assert self._doing.named == said.bold, title
        assert self._doing.typed <= said.code, title
        assert tuple(self._doing.pictures) == said.pictures, title
        self._done.append(title)

    def finish(self) -> None:
        """No section with something to do was left out, and their order was kept."""
        acted = [t for t, said in self._sections.items() if said.bold or said.pictures]
        assert self._done == acted

    @contextmanager
    def at(self, page: Page) -> Generator[None]:
        """Go on in another window for a while."""
        mine, self.page = self.page, page
        yield
        self.page = mine

    def sign_in(self, address: str, password: str) -> None:
        """As whoever the tutorial names, with the password that the demonstration printed."""
        self.fill("Email", address)
        self.secret("Password", password)
        self.click("Sign in")

    def click(self, name: str, *, told: bool = True) -> None:
        """Click the button, link or summary of this name; `told`: the tutorial names it."""
        self.named(*[name] * told)
        whole = re.compile(rf"^\s*{re.escape(name)}(\s|$)")
        found = self.page.get_by_role("button", name=whole)
        found = found.or_(self.page.get_by_role("link", name=whole))
        found.filter(visible=True).first.click()

    def fill(self, label: str, value: str, *, within: Locator | None = None) -> None:
        """Type a value, which stands as code in the tutorial."""
        self._doing.typed.add(value)
        self._field(label, within).fill(value)

    def secret(self, label: str, value: str) -> None:
        """Type what no tutorial can tell."""
        self._field(label, None).fill(value)

    def type_into(self, field: Locator, value: str) -> None:
        """Type a value into a field that the tutorial points at without naming it."""
        self._doing.typed.add(value)
        field.fill(value)

    def write(self, label: str, lines: list[str], *, within: Locator | None = None) -> None:
        """Type several lines, each of which stands as code in the tutorial."""
        self._doing.typed.update(lines)
        self._field(label, within).fill("\n".join(lines))

    def choose(
        self, label: str, option: str | re.Pattern[str], *, within: Locator | None = None
    ) -> None:
        """Choose an entry of a list; both stand in bold, but for an entry found by pattern."""
        found = self._field(label, within)
        if isinstance(option, str):
            self.named(option)
            found.select_option(label=option)
        else:
            entry = found.locator("option").filter(has_text=option).first
            found.select_option(entry.get_attribute("value"))

    def tick(self, label: str) -> None:
        """Choose a radio button or tick a box."""
        self._field(label, None).check()

    def attach(self, label: str, file: Path) -> None:
        """Choose a file of this repository; its path stands as code."""
        self._doing.typed.add(file.relative_to(ROOT).as_posix())
        self._field(label, None).set_input_files(file)

    def see(self, words: str, *, seconds: int = 20, told: bool = True) -> None:
        """These words stand on the page; `told`: in the tutorial, too."""
        self.named(*[words] * told)
        found = self.page.get_by_text(words).filter(visible=True).first
        expect(found).to_be_visible(timeout=seconds * 1000)

    def drawn(self) -> None:
        """The charts of the page are drawn."""
        expect(self.page.locator(".js-plotly-plot .main-svg").first).to_be_visible()

    def value_of(self, label: str) -> str:
        """What a field holds."""
        return self._field(label, None).input_value()

    def hide(self, label: str) -> None:
        """No secret gets into a picture, though it opens nothing but a demonstration."""
        self._found(label, None).evaluate("field => field.value = '•'.repeat(40)")

    def named(self, *words: str) -> None:
        """The tutorial names this without asking for it."""
        self._doing.named.update(words)

    def forget(self, *words: str) -> None:
        """The tutorial does not repeat what an earlier section named."""
        self._doing.named.difference_update(words)

    def picture(
        self, name: str, *, top: str = "", around: Locator | None = None, down: int = 800
    ) -> None:
        """The window as it is now, from a heading or around a place, `down` pixels high."""
        self._doing.pictures.append(f"{self._name}-{name}")
        self.page.set_viewport_size({"width": 1280, "height": down})
        self.page.mouse.move(0, 0)
        place = self.page.get_by_role("heading", name=top, exact=True).first if top else around
        above = 24 if top else down // 2
        self.page.evaluate(_SCROLL, [place.element_handle() if place else None, above])
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=PICTURES / f"tutorial-{self._name}-{name}.png")
        self.page.set_viewport_size({"width": 1280, "height": 900})

    def _field(self, label: str, within: Locator | None) -> Locator:
        self.named(label)
        return self._found(label, within)

    def _found(self, label: str, within: Locator | None) -> Locator:
        exactly, scope = re.compile(rf"^\s*{re.escape(label)}\s*\*?\s*$"), within or self.page
        found = scope.get_by_label(exactly).or_(scope.get_by_placeholder(label, exact=True))
        return found.filter(visible=True).first
