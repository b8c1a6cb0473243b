"""Who answers a survey reads it in another language, and keeps the link that they were given."""

from playwright.sync_api import expect

from tests.journeys.conftest import Visit
from tests.journeys.surveys.test_surveys import opened


def test_another_language_is_the_same_page_with_the_same_token(visit: Visit) -> None:
    """M99: which is in no address that is sent."""
    link = opened(visit().sign_in("owner"), ["Yes", "No"])[0]
    page = visit().page
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.goto(link)
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page).to_have_url(link)
    expect(page.get_by_label("No", exact=True)).to_be_enabled()
    token = link.partition("#")[2]
    assert token
    assert not any(token in address for address in sent)
