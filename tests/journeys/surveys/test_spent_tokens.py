"""M1: a page that knows that nothing of its own arrived never says that it was counted."""

import re

from playwright.sync_api import Browser, expect

from tests.journeys.conftest import Visit
from tests.journeys.surveys.test_surveys import _opened, _phone

# What the browser keeps, once it has read what the server said of it.
_KEPT_AS_ENDED = (
    "() => Object.values(localStorage).some((one) => /sent.:true|tried.:false/.test(one))"
)
_SPENT = "An answer was given with this token before."


def test_what_somebody_else_gave_with_a_token_is_never_called_counted(
    visit: Visit, browser: Browser
) -> None:
    """M1: however often it is sent again, since it is known that no try of this browser arrived."""
    link = _opened(visit().sign_in("owner"), ["Yes", "No"])[0]
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
