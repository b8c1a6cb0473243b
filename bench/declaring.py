"""How long does it take to declare a table of forty columns, and what do three hundred cost?

Run: uv run bench/declaring.py. Starts the demonstration, declares an invented table of 40 columns
in a browser with presets and pasted rows, and opens and saves forms of 40, 300 and 500 columns.
Prints seconds, milliseconds of the server and the height of the page at 1280 px. Everything is
removed afterwards.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import APIResponse, Page, sync_playwright

from tests.journeys.browser import ARGUMENTS, Visitor
from tests.journeys.product import started_product
from tests.servers.missing import find_browser

TURNS = 5
_SIZE = """() => ({
  page_px: document.documentElement.scrollHeight,
  grid_px: document.querySelector(".grid").offsetHeight,
  row_px: document.querySelector("tr[data-column]").offsetHeight,
})"""
# As the page's script saves it, from whatever window saved it last.
_SENT = """() => {
  const form = document.querySelector("form[data-autosave]");
  const fields = new URLSearchParams(new FormData(form));
  fields.delete("draft_seen");
  return [form.dataset.autosave, fields.toString()];
}"""


def upload(page: Page, file: Path, columns: int) -> str:
    """Send an invented table; the address of its form."""
    names = [f"q{place:03d}" for place in range(columns)]
    file.write_text("\n".join([",".join(names), *[",".join("1" * columns)] * 20]) + "\n")
    page.goto("/datasets/new/")
    page.locator("input[type=file]").set_input_files(file)
    page.locator("#upload-form button[type=submit]").click()
    page.locator("tr[data-column]").first.wait_for()
    return page.url


def declare(page: Page, address: str) -> None:
    """Thirty by a preset, ten by rows from a code book, until both are on the server."""
    page.goto(address)
    page.locator("#grid-filter").fill("q0")
    boxes = page.locator("[data-pick]")
    boxes.nth(0).click()
    boxes.nth(29).click(modifiers=["Shift"])
    page.locator("#grid-preset").select_option(label="0 or 1")
    page.locator("#grid-apply").click()
    rows = [f"q{n:03d}\tcategory\t\t\t\tyes | no | unknown\tdrop" for n in range(30, 40)]
    page.locator(".grid-fill > summary").click()
    page.locator("#grid-pasted").fill("\n".join(rows))
    page.locator("button[value=paste]").click()
    page.wait_for_url("**#columns-title")
    page.wait_for_function("document.querySelector('[name=column-39-categories]')?.value")


def milliseconds(act: Callable[[], object], turns: int) -> int:
    """The median of so many turns."""
    taken = []
    for _ in range(turns):
        began = time.perf_counter()
        act()
        taken.append(1000 * (time.perf_counter() - began))
    return round(median(taken))


def measured(page: Page, file: Path, columns: int, turns: int) -> dict[str, object]:
    """One table: how it is declared, how large its form is, and what the server takes for it."""
    address = upload(page, file, columns)
    line: dict[str, object] = {"columns": columns}
    if columns == 40:
        line["declared_ms"] = milliseconds(lambda: declare(page, address), turns)
    line["shown_ms"] = milliseconds(lambda: page.goto(address), turns)
    line |= page.evaluate(_SIZE)
    to, body = page.evaluate(_SENT)
    head = {"Content-Type": "application/x-www-form-urlencoded", "Referer": address}
    line["form_ms"] = milliseconds(lambda: page.request.get(address), turns)
    line["saved_ms"] = milliseconds(
        lambda: _answered(page.request.post(to, data=body, headers=head)), turns
    )
    return line


def _answered(answer: APIResponse) -> None:
    if not answer.ok:
        raise RuntimeError(f"the form was not kept: {answer.status}")


def main() -> None:
    """Tables of three widths on one product."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", default="40,300,500", help="widths, with commas between")
    parser.add_argument("--turns", type=int, default=TURNS, help="how often each is done")
    chosen = parser.parse_args()
    program = find_browser()
    with (
        tempfile.TemporaryDirectory() as home,
        started_product(Path(home)) as product,
        sync_playwright() as playwright,
    ):
        options = [*ARGUMENTS, "--no-sandbox"]
        browser = playwright.chromium.launch(executable_path=program, args=options)
        page = Visitor(browser, product).sign_in("owner")
        page.set_default_timeout(60_000)
        for columns in map(int, chosen.columns.split(",")):
            line = measured(page, Path(home) / f"{columns}.csv", columns, chosen.turns)
            print(json.dumps(line), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
