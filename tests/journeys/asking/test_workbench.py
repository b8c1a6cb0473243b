"""An analyst's way: find, try on invented data, slide to a price, save, ask for budget, compare."""

import re

from playwright.sync_api import Page, Route, expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import accessibility_problems

ADULT = "/datasets/adult-census-income/"
# Between the coming of a price and the next one's being asked for there is a third of a second.
_TYPE_ON_WHEN_THE_PRICE_COMES = """(field) => {
  const typeOn = (event) => {
    if (event.detail.ctx.target.id !== "quote") return;
    document.removeEventListener("htmx:before:swap", typeOn);
    field.value = "0.0157";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  document.addEventListener("htmx:before:swap", typeOn);
}"""


def test_an_analyst_finds_a_dataset_by_one_of_its_columns(visit: Visit) -> None:
    window = visit()
    page = window.sign_in("analyst")
    page.goto("/datasets/")
    page.get_by_role("searchbox").fill("education")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("mark").first).to_be_visible()
    window.picture("find")
    assert accessibility_problems(page) == []
    page.get_by_role("link", name="Ask a question").first.click()
    page.wait_for_url(re.compile("/ask/"))


def test_price_and_error_follow_the_slider_by_keyboard(visit: Visit) -> None:
    page = visit().sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    slider = page.get_by_label("Slide to choose ε")
    field = page.get_by_label("Privacy loss ε", exact=True)
    before = float(field.input_value())
    slider.focus()
    for _ in range(5):
        slider.press("ArrowLeft")
    after = field.input_value()
    assert float(after) < before
    expect(page.get_by_role("button", name=f"Ask for ε {after}", exact=True)).to_be_visible()
    expect(slider).to_be_focused()
    expect(slider).to_have_attribute("aria-valuetext", f"ε {after}")
    field.fill("0.5")
    expect(slider).to_have_attribute("aria-valuetext", "ε 0.5")


def test_the_slider_writes_an_amount_as_the_page_reads_it(visit: Visit) -> None:
    """In German 0.05 with a point could be mistaken, and 1.875 is refused."""
    page = visit("de-DE").sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    field, slider = page.locator("[name=epsilon]"), page.locator("#epsilon_slider")
    slider.focus()
    slider.press("ArrowLeft")
    expect(field).to_have_value(re.compile(r"^0,[0-9]+$"))
    asked = field.input_value().replace(",", ".")
    expect(page.get_by_role("button", name=f"Fragen für ε {asked}", exact=True)).to_be_visible()


def test_a_price_that_cannot_be_renewed_says_so_and_cannot_be_paid(visit: Visit) -> None:
    """R9: the panel would else show the price of another question, with its button."""
    window = visit()
    window.expected = re.compile("503")
    page = window.sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    field = page.get_by_label("Privacy loss ε", exact=True)
    field.fill("0.02")
    expect(page.get_by_role("button", name="Ask for ε 0.02", exact=True)).to_be_enabled()
    # The outage itself is that of integration/operation/test_outages.py; here is what one sees.
    page.route("**/quote/", lambda route: route.fulfill(status=503))
    field.fill("0.03")
    expect(page.get_by_text("This was the price before your last change.")).to_be_visible()
    expect(page.get_by_role("button", name="Ask for ε 0.02", exact=True)).to_be_disabled()
    page.unroute("**/quote/")
    field.fill("0.04")
    expect(page.get_by_role("button", name="Ask for ε 0.04", exact=True)).to_be_enabled()
    expect(page.get_by_text("This was the price before your last change.")).to_be_hidden()


def test_what_is_typed_while_the_form_is_being_changed_stays_and_is_priced(visit: Visit) -> None:
    """R9: the answer that adds a grouping comes when it comes; nobody waits for it to type.

    Meanwhile nothing can be asked: it would be the question without the grouping.
    """
    page = visit().sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    held: list[Route] = []
    page.route("**/ask/", lambda route: held.append(route))
    field = page.get_by_label("Privacy loss ε", exact=True)
    field.fill("0.02")
    page.get_by_label("Group by", exact=True).select_option("sex")
    with page.expect_request("**/ask/"):
        page.get_by_role("button", name="Add grouping").click()
    field.fill("0.015")
    price = page.get_by_role("button", name="Ask for ε 0.015", exact=True)
    expect(price).to_be_disabled()
    page.get_by_label("Statistic", exact=True).focus()
    with page.expect_response("**/quote/"):
        held.pop().continue_()
    expect(page.get_by_role("button", name=re.compile("Remove .*sex"))).to_be_visible()
    expect(field).to_have_value("0.015")
    expect(price).to_be_enabled()


def test_what_was_opened_beside_the_price_stays_open_when_it_is_renewed(visit: Visit) -> None:
    page = visit().sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    page.get_by_text("The plan as JSON").click()
    plan = page.locator(".ask-plan").first
    expect(plan).to_be_visible()
    with page.expect_response("**/quote/"):
        page.get_by_label("Privacy loss ε", exact=True).fill("0.0173")
    expect(plan).to_contain_text("0.0173")
    expect(plan).to_be_visible()


def test_a_price_that_comes_after_the_form_has_changed_is_not_shown_as_its_own(
    visit: Visit,
) -> None:
    """R9: it was asked for before the grouping was there, and a busy server sends it last."""
    page = visit().sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    page.get_by_label("Group by", exact=True).select_option("sex")
    held: list[Route] = []
    page.route("**/quote/", lambda route: held.append(route))
    with page.expect_request("**/quote/"):
        page.get_by_label("Privacy loss ε", exact=True).fill("0.015")
    expect(page.locator("#quote")).to_have_class(re.compile("htmx-request"))
    page.get_by_role("button", name="Add grouping").click()
    expect(page.get_by_role("button", name=re.compile("Remove .*sex"))).to_be_visible()
    with page.expect_response(
        lambda told: "/quote/" in told.url and "group-0" in (told.request.post_data or "")
    ):
        page.unroute("**/quote/")  # which sends what is held on its way


def test_a_price_that_comes_while_one_types_on_cannot_be_paid(visit: Visit) -> None:
    """R9: it is that of what the form held before; under load it came just before the click."""
    page = visit().sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    field = page.get_by_label("Privacy loss ε", exact=True)
    field.evaluate(_TYPE_ON_WHEN_THE_PRICE_COMES)
    asked: list[Route] = []

    def only_the_first(route: Route) -> None:
        asked.append(route)
        if len(asked) == 1:
            route.continue_()

    page.route("**/quote/", only_the_first)
    field.fill("0.015")
    expect(field).to_have_value("0.0157")
    expect(page.get_by_role("button", name="Ask for ε 0.015", exact=True)).to_be_disabled()
    page.unroute("**/quote/")  # which sends what is held on its way
    expect(page.get_by_role("button", name="Ask for ε 0.0157", exact=True)).to_be_enabled()


def test_whoever_stands_on_the_button_stays_there_while_the_price_is_renewed(visit: Visit) -> None:
    """E10: leaving a field asks for the price again, and the next key may be Enter."""
    page = visit().sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    field = page.get_by_label("Privacy loss ε", exact=True)
    field.fill("0.02")
    price = page.get_by_role("button", name="Ask for ε 0.02", exact=True)
    price.focus()
    with page.expect_response("**/quote/"):
        field.dispatch_event("change")
    expect(page.locator("#quote")).not_to_have_class(re.compile("htmx-request"))
    expect(price).to_be_focused()


def test_a_trial_on_invented_data_is_marked_and_goes_when_the_question_changes(
    visit: Visit,
) -> None:
    window = visit()
    page = window.sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    page.get_by_role("button", name="Try it on invented data, free").click()
    trial = page.get_by_role("region", name="Invented Not an answer")
    expect(trial).to_contain_text("made-up rows")
    window.picture("ask-tried")
    assert accessibility_problems(page) == []
    page.get_by_label("Privacy loss ε", exact=True).fill("0.3")
    expect(trial).to_have_count(0)


def test_a_question_is_saved_opened_and_removed_with_an_undo(visit: Visit) -> None:
    window = visit()
    page = window.sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    page.get_by_text("Save this question").click()
    page.get_by_label("Name", exact=True).fill("Everybody")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(re.compile("/saved/"))
    window.picture("saved")
    assert accessibility_problems(page) == []
    page.get_by_role("button", name="Remove Everybody", exact=True).click()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("link", name="Price and ask Everybody", exact=True).click()
    expect(page.get_by_role("button", name="Ask for ε")).to_be_visible()


def test_a_refusal_leads_to_a_request_that_an_owner_grants(visit: Visit) -> None:
    window = visit()
    page = window.sign_in("analyst")
    page.goto(f"{ADULT}request/?about=allocation&epsilon=2")
    page.get_by_label("What is it for?").fill("the spring study")
    window.picture("budget-request")
    assert accessibility_problems(page) == []
    page.get_by_role("button", name="Send the request").click()
    expect(page.locator("main")).to_contain_text("Waiting")
    owner = visit()
    desk = owner.sign_in("owner")
    desk.get_by_role("link", name="Approvals").click()
    desk.get_by_role("link", name="Requests for budget").click()
    owner.picture("budget-requests")
    assert accessibility_problems(desk) == []
    desk.get_by_role("link", name="An allocation of up to ε").first.click()
    owner.picture("budget-answer")
    assert accessibility_problems(desk) == []
    desk.get_by_role("textbox", name="Your answer").fill("for the study")
    desk.get_by_role("button", name="Grant the allocation").click()
    expect(desk.locator("main")).to_contain_text("Granted")
    page.reload()
    expect(page.locator("main")).to_contain_text("for the study")


def test_two_answers_are_compared(visit: Visit) -> None:
    window = visit()
    page = window.sign_in("analyst")
    for epsilon in ("0.02", "0.03"):
        _asked(page, epsilon)
    page.get_by_role("link", name="Compare").click()
    page.get_by_role("checkbox").first.check()
    page.get_by_role("checkbox").nth(1).check()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="Side by side")).to_be_visible()
    window.picture("compare")
    assert accessibility_problems(page) == []


def _asked(page: Page, epsilon: str) -> None:
    page.goto(f"{ADULT}ask/")
    page.get_by_label("Privacy loss ε", exact=True).fill(epsilon)
    page.get_by_role("button", name=f"Ask for ε {epsilon}").click()
    page.wait_for_url(re.compile("/queries/"))
    expect(page.locator(".answer-value")).to_contain_text("at 95%", timeout=20_000)
