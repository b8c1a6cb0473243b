"""M1: a page that knows that nothing of its own arrived never says that it was counted."""

import re

from playwright.sync_api import Browser, Page, Route, expect

from tests.journeys.conftest import Visit
from tests.journeys.surveys.test_surveys import _phone, _posted, opened

# What the browser keeps, once it has read what the server said of it.
_KEPT_AS_ENDED = "() => Object.values(localStorage).some((one) => /sent.:true|tried.:0/.test(one))"
_NOTHING_OPEN = "() => Object.values(localStorage).some((one) => /tried.:0/.test(one))"
_WITHOUT_LOCKS = "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })"
_SPENT = "An answer was given with this token before."


def test_what_somebody_else_gave_with_a_token_is_never_called_counted(
    visit: Visit, browser: Browser
) -> None:
    """M1: however often it is sent again, since it is known that no try of this browser arrived."""
    link = opened(visit().sign_in("owner"), ["Yes", "No"])[0]
    pages = [_phone(browser), _phone(browser)]
    for page, said in zip(pages, ("Your report was counted.", _SPENT), strict=True):
        page.goto(link)
        page.get_by_label("Yes", exact=True).check()
        page.get_by_role("button", name="Randomise and send").click()
        expect(page.get_by_text(said)).to_be_visible()
    late = pages[1]
    for _ in range(2):
        with late.expect_response(re.compile("/api/v1/answer/")) as refused:
            late.get_by_role("button", name="Send it again").click()
        assert refused.value.status == 409
        late.wait_for_function(_KEPT_AS_ENDED)
        expect(late.get_by_text(_SPENT)).to_be_visible()
        late.reload()
        expect(late.get_by_text("Your report was counted.")).to_be_hidden()
    for page in pages:
        page.context.close()


def _two_tabs(browser: Browser, link: str, script: str = "") -> tuple[Page, Page, list[Route]]:
    """One has sent its report, which is held on its way; the other one shows what was kept."""
    first = _phone(browser)
    held: list[Route] = []
    first.context.add_init_script(script)
    second = first.context.new_page()
    first.route(re.compile("/api/v1/answer/"), lambda route: held.append(route))
    first.goto(link)
    first.get_by_label("Yes", exact=True).check()
    first.get_by_role("button", name="Randomise and send").click()
    expect(first.get_by_role("heading", name="What is sent")).to_be_visible()
    expect(first.get_by_role("button", name="Send it again")).to_be_hidden()
    second.goto(link)
    return first, second, held


def _say_for_good_that_it_was_counted(*pages: Page) -> None:
    for page in pages:
        expect(page.get_by_text("Your report was counted.")).to_be_visible()
        page.reload()
        expect(page.get_by_text("Your report was counted.")).to_be_visible()


def test_what_another_tab_sends_again_waits_until_the_first_has_heard(
    visit: Visit, browser: Browser
) -> None:
    """M1: then it sends nothing, and both say that the report was counted."""
    first, second, held = _two_tabs(browser, opened(visit().sign_in("owner"), ["Yes", "No"])[0])
    sent = _posted(second)
    second.get_by_role("button", name="Send it again").click()
    held[0].continue_()
    _say_for_good_that_it_was_counted(first, second)
    assert (len(held), sent) == (1, [])
    first.context.close()


def test_where_tabs_know_no_turns_what_was_counted_is_not_taken_back(
    visit: Visit, browser: Browser
) -> None:
    """M1: what another tab sent again arrives first, so that the first is told of a spent token."""
    link = opened(visit().sign_in("owner"), ["Yes", "No"])[0]
    first, second, held = _two_tabs(browser, link, _WITHOUT_LOCKS)
    second.get_by_role("button", name="Send it again").click()
    expect(second.get_by_text("Your report was counted.")).to_be_visible()
    with first.expect_response(re.compile("/api/v1/answer/")) as refused:
        held[0].continue_()
    assert refused.value.status == 409
    first.wait_for_function(_NOTHING_OPEN)
    _say_for_good_that_it_was_counted(first, second)
    first.context.close()
