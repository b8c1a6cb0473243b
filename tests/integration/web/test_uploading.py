"""What the page of an upload says in Chromium when the server does not take the file."""

from pathlib import Path

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Page, Route, expect

from tests.integration.dashboards.test_charts_in_browser import browser
from tests.integration.web.test_in_browser import complaints, window

__all__ = ["browser", "complaints", "window"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("beside_a_loop"),
]


def _upload(page: Page, folder: Path, status: int, body: str) -> None:
    def answer(route: Route) -> None:
        if route.request.method == "POST":
            route.fulfill(status=status, content_type="text/html", body=body)
        else:
            route.continue_()

    (folder / "rows.csv").write_text("n\n1\n")
    page.goto("/datasets/new/")
    page.route("**/datasets/new/", answer)
    page.get_by_label("File").set_input_files(folder / "rows.csv")
    page.get_by_role("button", name="Upload").click()


def test_a_refusal_of_the_server_gives_its_own_reason_and_leaves_the_form_open(
    window: Page, tmp_path: Path
) -> None:
    page = render_to_string("demo/arriving.html", {"day": 34, "days": 90})
    _upload(window, tmp_path, 503, page)
    expect(window.get_by_role("status")).to_contain_text("living through its past: day 34 of 90.")
    expect(window.get_by_role("button", name="Upload")).to_be_enabled()


@pytest.mark.parametrize("answer", [(500, "500.html"), (502, "")], ids=["error", "no page of ours"])
def test_an_answer_without_a_reason_is_told_in_words_of_the_form(
    window: Page, tmp_path: Path, answer: tuple[int, str]
) -> None:
    status, template = answer
    _upload(window, tmp_path, status, render_to_string(template) if template else "Bad gateway")
    expect(window.get_by_role("status")).to_contain_text("The server did not take the file.")
