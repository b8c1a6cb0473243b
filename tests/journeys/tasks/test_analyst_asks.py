"""An analyst's tasks: from a dataset to an answer, in each of the ways to ask."""

from playwright.sync_api import Page, expect

from tests.journeys.tasks.counting import Role, task
from tests.journeys.tasks.preparing import ADULT_NAME, await_answer

_SQL = 'SELECT COUNT(*) FROM "adult-census-income" WHERE age >= 60 WITH EPSILON 0.01'


@task(Role.ANALYST, pages=1, clicks=2)
def test_find_a_dataset_by_a_column(desk: Page) -> None:
    desk.get_by_role("searchbox").fill("education")
    desk.get_by_role("button", name="Find").click()
    expect(desk.locator("mark").first).to_be_visible()


@task(Role.ANALYST, pages=1, clicks=1)
def test_read_the_privacy_label_of_a_dataset(desk: Page) -> None:
    desk.get_by_role("link", name=ADULT_NAME, exact=True).click()
    expect(desk.get_by_role("region", name="Privacy label")).to_contain_text("All answers together")
    expect(desk.locator("main")).to_contain_text("education")


@task(Role.ANALYST, pages=1, clicks=2)
def test_try_a_question_on_invented_data(desk: Page) -> None:
    _compose(desk)
    desk.get_by_role("button", name="Try it on invented data, free").click()
    expect(desk.get_by_role("region", name="Invented Not an answer")).to_be_visible()


@task(Role.ANALYST, pages=2, clicks=3)
def test_ask_for_a_count(desk: Page) -> None:
    _compose(desk)
    _pay(desk, "0.011")


@task(Role.ANALYST, pages=2, clicks=5)
def test_ask_for_a_mean(desk: Page) -> None:
    _compose(desk)
    desk.get_by_label("Statistic", exact=True).select_option("mean")
    desk.get_by_label("of the column").select_option("age")
    _pay(desk, "0.012")


@task(Role.ANALYST, pages=2, clicks=5)
def test_ask_for_a_median(desk: Page) -> None:
    _compose(desk)
    desk.get_by_label("Statistic", exact=True).select_option("median")
    desk.get_by_label("of the column").select_option("age")
    _pay(desk, "0.013")


@task(Role.ANALYST, pages=2, clicks=8)
def test_ask_for_a_histogram(desk: Page) -> None:
    _compose(desk)
    desk.get_by_label("Group by", exact=True).select_option("age")
    desk.get_by_role("button", name="Add grouping").click()
    group = desk.get_by_role("group", name="Group by age")
    for end, value in (("from", "20"), ("to", "80"), ("width", "20")):
        group.get_by_label(end, exact=True).fill(value)
    _pay(desk, "0.014")
    expect(desk.get_by_role("table", name="Released numbers")).to_contain_text("20–39")


@task(Role.ANALYST, pages=2, clicks=4)
def test_ask_by_the_error_to_live_with(desk: Page) -> None:
    _compose(desk)
    desk.get_by_label("How do you want to set the price?").select_option("error")
    desk.get_by_label("Off by at most", exact=True).fill("150")
    expect(desk.locator("#quote")).to_contain_text("smallest price that keeps")
    desk.get_by_role("button", name="Ask for ε").click()
    await_answer(desk)


@task(Role.ANALYST, pages=4, clicks=5)
def test_ask_in_sql(desk: Page) -> None:
    _compose(desk)
    desk.get_by_role("link", name="Write SQL").click()
    desk.get_by_label("Question").press("ControlOrMeta+a")
    desk.get_by_label("Question").press_sequentially(_SQL)
    desk.get_by_role("button", name="Check and price").click()
    desk.get_by_role("button", name="Ask for ε 0.01").click()
    await_answer(desk)


@task(Role.ANALYST, pages=5, clicks=8)
def test_ask_two_questions_for_one_price(desk: Page) -> None:
    _compose(desk)
    desk.get_by_role("button", name="Add to batch").click()
    desk.get_by_role("link", name="Compose a question").click()
    desk.get_by_label("Statistic", exact=True).select_option("median")
    desk.get_by_label("of the column").select_option("age")
    desk.get_by_role("button", name="Add to batch").click()
    desk.get_by_label("Privacy loss ε").fill("0.02")
    desk.get_by_role("button", name="Ask all for ε 0.02").click()
    expect(desk.locator("main")).to_contain_text("Count of rows")
    # The list renews itself: nobody loads the page again.
    expect(desk.locator("#questions .state-waiting")).to_have_count(0, timeout=30_000)
    expect(desk.locator("#questions .state").first).to_have_text("Answered")
    expect(desk.locator("#questions [hx-get]")).to_have_count(0)


@task(Role.ANALYST, pages=1, clicks=3)
def test_understand_a_refusal_and_what_would_fit(desk: Page) -> None:
    _compose(desk)
    desk.get_by_label("Privacy loss ε", exact=True).fill("9")
    refusal = desk.get_by_role("alert")
    expect(refusal).to_contain_text("One question on this dataset may cost at most ε 2.")
    refusal.get_by_role("button", name="the most that fits").click()
    expect(desk.get_by_role("button", name="Ask for ε")).to_be_visible()


def _compose(page: Page) -> None:
    page.get_by_role("link", name=f"Ask a question of {ADULT_NAME}").click()


def _pay(page: Page, epsilon: str) -> None:
    page.get_by_label("Privacy loss ε", exact=True).fill(epsilon)
    page.get_by_role("button", name=f"Ask for ε {epsilon}", exact=True).click()
    await_answer(page)
