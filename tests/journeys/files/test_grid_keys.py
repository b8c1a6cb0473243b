"""The grid of columns without a mouse: keys along a column, many rows at once, cells pasted."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.tasks.preparing import row_of, send

_NAMES = [f"q{place}" for place in range(1, 7)]


def test_columns_are_declared_with_keys_and_pasted_cells(visit: Visit, tmp_path: Path) -> None:
    """What the list of keys beside the grid says, in one walk; no key sends the form."""
    page = visit().sign_in("owner")
    send(page, tmp_path / "keys.csv", ",".join(_NAMES).encode() + b"\n0,0,0,0,0,0\n1,1,1,1,1,1\n")
    address = page.url
    _select_with_shift(page)
    _fill_all_selected(page)
    _walk_along_a_column(page)
    _paste_cells(page)
    _paste_named_rows(page)
    assert page.url.partition("#")[0] == address.partition("#")[0]


def _select_with_shift(page: Page) -> None:
    """From the second to the fifth."""
    _box(page, "q2").focus()
    page.keyboard.press("Space")
    _box(page, "q5").focus()
    page.keyboard.press("Shift+Space")
    expect(page.locator("#grid-count")).to_have_text("4 selected")
    for name in _NAMES:
        expect(_box(page, name)).to_be_checked(checked=name in _NAMES[1:5])


def _fill_all_selected(page: Page) -> None:
    _cell(page, "q2", "Type").select_option(label="Number")
    for label, value in (("Type", ""), ("From", "0"), ("To", "7")):
        cell = _cell(page, "q2", label)
        cell.focus()
        page.keyboard.type(value)
        page.keyboard.press("Control+Enter")
    for name in _NAMES[1:5]:
        expect(_cell(page, name, "To")).to_have_value("7")
    expect(_cell(page, "q6", "Type")).to_have_value("")


def _walk_along_a_column(page: Page) -> None:
    _cell(page, "q2", "From").focus()
    for key, name in (("ArrowDown", "q3"), ("Enter", "q4"), ("Shift+Enter", "q3")):
        page.keyboard.press(key)
        expect(_cell(page, name, "From")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.type("1")
    expect(_cell(page, "q2", "From")).to_have_value("1")


def _paste_cells(page: Page) -> None:
    """Two rows of two cells, from the cell with the focus on."""
    _copy(page, "2\t9\n3\t8")
    _cell(page, "q3", "From").focus()
    page.keyboard.press("Control+v")
    for name, lower, upper in (("q3", "2", "9"), ("q4", "3", "8"), ("q5", "0", "7")):
        expect(_cell(page, name, "From")).to_have_value(lower)
        expect(_cell(page, name, "To")).to_have_value(upper)


def _paste_named_rows(page: Page) -> None:
    """Wherever they are pasted: they go where their names say."""
    _copy(page, "q6\tcategory\t\t\t\tyes | no\nq1\tnumber\t0\t5\t1")
    _cell(page, "q4", "To").focus()
    page.keyboard.press("Control+v")
    expect(_cell(page, "q6", "Values")).to_have_value("yes\nno")
    expect(_cell(page, "q1", "To")).to_have_value("5")
    expect(_cell(page, "q4", "To")).to_have_value("8")


def _copy(page: Page, text: str) -> None:
    """To the clipboard, as out of a spreadsheet."""
    field = page.get_by_label("Paste from a spreadsheet")
    if not field.is_visible():
        page.get_by_text("Fill in many columns at once").click()
    field.fill(text)
    field.press("Control+a")
    field.press("Control+c")
    field.fill("")


def _box(page: Page, name: str) -> Locator:
    return row_of(page, name).get_by_role("checkbox")


def _cell(page: Page, name: str, label: str) -> Locator:
    return row_of(page, name).get_by_label(label, exact=True)
