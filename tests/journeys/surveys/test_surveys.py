"""M1: a survey from its draft to its estimate, and the script that randomises, in a real browser.

What could leak: a draw that is not what its thresholds say, a second draw after a reload or in
another tab, or a true answer that leaves the browser; to whoever serves the page. The script is
run as the page has it.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, expect
from scipy import stats

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.local.randomiser import DRAWS, LocalKind, Randomiser, for_epsilon
from dpgov.privacy.noise.lower_bound import epsilon_bound
from tests.journeys.browser import Visitor
from tests.journeys.conftest import Visit
from tests.journeys.looking import accessibility_problems
from tests.servers.loopback import free_port

_SCRIPT = Path(__file__).resolve().parents[3] / "static/js/respond.js"
_DRAWN = 120_000


def opened(owner: Page, answers: list[str], epsilon: str = "1.1") -> list[str]:
    """The links of a new survey, made and opened on the pages."""
    owner.goto("/surveys/new/")
    owner.get_by_label("Question", exact=True).fill("Did you ever copy in an exam?")
    owner.get_by_label("Answers", exact=True).fill("\n".join(answers))
    owner.get_by_label("Privacy loss ε per answer").fill(epsilon)
    owner.get_by_role("button", name="Save the draft").click()
    expect(owner.get_by_text("With 200 answers")).to_be_visible()
    owner.get_by_role("button", name="Open the survey").click()
    with owner.expect_download() as waited:
        owner.get_by_role("button", name="Make and download").click()
    return waited.value.path().read_text().split()[1:]


def _phone(browser: Browser) -> Page:
    context = browser.new_context(viewport={"width": 360, "height": 740}, reduced_motion="reduce")
    return context.new_page()


def _posted(page: Page) -> list[str]:
    """What leaves the page from now on, body by body."""
    bodies: list[str] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            bodies.append(request.post_data or "")

    page.on("request", note)
    return bodies


def test_a_person_answers_on_a_phone_and_the_owner_watches_the_estimate(
    visit: Visit, browser: Browser
) -> None:
    """M1: one report leaves the browser, of one size; a reload draws nothing again."""
    window: Visitor = visit()
    owner = window.sign_in("owner")
    links = opened(owner, ["Yes", "No"])
    bodies = []
    for link, answer in zip(links[:3], ("Yes", "No", "No"), strict=True):
        page = _phone(browser)
        sent = _posted(page)
        page.goto(link)
        assert accessibility_problems(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.get_by_label(answer, exact=True).check()
        page.get_by_role("button", name="Randomise and send").click()
        expect(page.get_by_text("Your report was counted.")).to_be_visible()
        assert accessibility_problems(page) == []
        page.reload()
        expect(page.get_by_text("Your report was counted.")).to_be_visible()
        expect(page.get_by_role("button", name="Randomise and send")).to_be_hidden()
        report = page.locator("[data-part=sent] code").inner_text()
        assert [json.loads(body)["report"] for body in sent] == [report]
        bodies += sent
        page.context.close()
    assert len({len(body) for body in bodies}) == 1
    # The page looks again by itself, and draws what came.
    heading = owner.get_by_role("heading", name="Estimates from 3 reports")
    expect(heading).to_be_visible(timeout=30_000)
    expect(owner.locator("#survey-shares svg.main-svg").first).to_be_visible()
    assert accessibility_problems(owner) == []
    window.picture("survey")
    respondent = visit()
    respondent.page.goto(links[3])
    respondent.page.get_by_label("No", exact=True).check()
    respondent.page.get_by_role("button", name="Randomise and send").click()
    expect(respondent.page.get_by_text("Your report was counted.")).to_be_visible()
    respondent.picture("survey-answered")
    again = _phone(browser)
    again.goto(links[0])
    again.get_by_label("Yes", exact=True).check()
    again.get_by_role("button", name="Randomise and send").click()
    expect(again.get_by_text("An answer was given with this token before.")).to_be_visible()
    again.goto(links[4].partition("#")[0])
    expect(again.get_by_text("This survey needs a token.")).to_be_visible()
    again.goto(links[4])
    expect(again.get_by_label("Yes", exact=True)).to_be_enabled()
    again.context.close()


def test_a_report_that_may_not_have_arrived_is_sent_again_as_it_was(
    visit: Visit, browser: Browser
) -> None:
    """M1: the answer of the server is lost once: the same bytes go again, and count once."""
    owner = visit().sign_in("owner")
    link = opened(owner, ["Yes", "No"])[0]
    page = _phone(browser)
    sent: list[str] = []

    def lose(route: Any) -> None:
        sent.append(route.request.post_data)
        if len(sent) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route(re.compile("/api/v1/answer/"), lose)
    page.goto(link)
    page.get_by_label("Yes", exact=True).check()
    page.get_by_role("button", name="Randomise and send").click()
    expect(page.get_by_text("It is not known whether your report arrived.")).to_be_visible()
    page.reload()
    page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_text("Your report was counted.")).to_be_visible()
    assert len(sent) == 2
    assert sent[0] == sent[1]
    owner.reload()
    expect(owner.get_by_role("heading", name="Estimates from 1 report")).to_be_visible()
    page.context.close()


def test_two_tabs_of_one_browser_draw_once(visit: Visit, browser: Browser) -> None:
    """M1: the second one shows what the first has kept, and draws nothing even if it is sent."""
    link = opened(visit().sign_in("owner"), ["Yes", "No"])[0]
    first = _phone(browser)
    second = first.context.new_page()
    posts = [_posted(page) for page in (first, second)]
    for page, answer in ((first, "Yes"), (second, "No")):
        page.goto(link)
        page.get_by_label(answer, exact=True).check()
    first.get_by_role("button", name="Randomise and send").click()
    for page in (first, second):
        expect(page.get_by_text("Your report was counted.")).to_be_visible()
        expect(page.get_by_role("button", name="Randomise and send")).to_be_hidden()
    # As if it had not heard of the first.
    second.evaluate(
        """() => {
          document.querySelector("input[value='1']").checked = true;
          document.querySelector("form[data-survey]").requestSubmit();
        }"""
    )
    expect(second.get_by_label("No", exact=True)).not_to_be_checked()
    second.reload()
    expect(second.get_by_text("Your report was counted.")).to_be_visible()
    reports = [page.locator("[data-part=sent] code").inner_text() for page in (first, second)]
    assert [json.loads(body)["report"] for body in posts[0]] == reports[:1] == reports[1:]
    assert posts[1] == []
    first.context.close()


def _rule(randomiser: Randomiser) -> dict[str, Any]:
    return {
        "mechanism": randomiser.kind.value,
        "answers": randomiser.answers,
        "kept": randomiser.kept,
        "other": randomiser.other,
        "size": randomiser.size,
    }


@pytest.fixture
def script(browser: Browser) -> Any:
    """A page that has the script of the respondents' page, and nothing else."""
    page = browser.new_page()
    page.add_init_script(path=_SCRIPT)
    # A page of its own origin, because chance of a browser wants a secure one.
    page.route(
        "**/*", lambda route: route.fulfill(body="<!doctype html>", content_type="text/html")
    )
    page.goto(f"http://127.0.0.1:{free_port()}/")
    yield page
    page.close()


@pytest.mark.parametrize("answers", [2, 3, 7])
def test_each_draw_of_the_script_falls_where_its_thresholds_say(script: Page, answers: int) -> None:
    """M1: both sides of every threshold, for each true answer: not one draw off."""
    randomiser = for_epsilon(answers, NANO)
    edges = [0, randomiser.kept - 1]
    for other in range(answers - 1):
        edges += [randomiser.kept + other * randomiser.other]
        edges += [randomiser.kept + (other + 1) * randomiser.other - 1]
    assert edges[-1] == DRAWS - 1
    for truth in range(answers):
        others = [place for place in range(answers) if place != truth]
        wanted = [truth, truth, *(place for place in others for _ in (0, 1))]
        found = script.evaluate(
            "([rule, truth, draws]) => draws.map((d) => dpgovSurvey.randomise(rule, truth, [d]))",
            [_rule(randomiser), truth, edges],
        )
        assert found == [randomiser.written(place) for place in wanted]


def test_each_bit_of_the_script_falls_where_its_threshold_says(script: Page) -> None:
    """M1: unary encoding, at both sides of both thresholds."""
    randomiser = for_epsilon(12, NANO)
    assert randomiser.kind is LocalKind.UNARY
    for truth in (0, 5, 11):
        for shift in (-1, 0):
            draws = [
                (randomiser.kept if place == truth else randomiser.other) + shift
                for place in range(12)
            ]
            found = script.evaluate(
                "([rule, truth, draws]) => dpgovSurvey.randomise(rule, truth, draws)",
                [_rule(randomiser), truth, draws],
            )
            assert found == ("1" if shift else "0") * 12


@pytest.mark.parametrize("answers", [2, 4])
def test_the_script_gives_away_what_is_charged_and_nearly_all_of_it(
    script: Page, answers: int
) -> None:
    """M1: a lower bound on ε from reports that the browser's own chance drew."""
    randomiser = for_epsilon(answers, NANO)
    truth, other = (_reports(script, randomiser, place) for place in (0, 1))
    told = randomiser.written(0)
    bound = epsilon_bound(truth[told], other[told], _DRAWN, alpha=1e-6)
    assert 0.85 <= bound / (randomiser.epsilon_nano / NANO) <= 1
    chances = [float(randomiser.p), *[float(randomiser.q)] * (answers - 1)]
    seen = [truth[randomiser.written(place)] for place in range(answers)]
    assert stats.chisquare(seen, [chance * _DRAWN for chance in chances]).pvalue > 1e-6


def test_the_bits_of_the_script_have_their_own_chances(script: Page) -> None:
    """M1: a lower bound on ε from two bits of many reports."""
    randomiser = for_epsilon(12, NANO)
    truth, other = (_reports(script, randomiser, place) for place in (0, 1))
    hits, others = (_with(reports, first="1", second="0") for reports in (truth, other))
    bound = epsilon_bound(hits, others, _DRAWN, alpha=1e-6)
    assert 0.85 <= bound / (randomiser.epsilon_nano / NANO) <= 1
    for place in range(12):
        ones = sum(number for report, number in truth.items() if report[place] == "1")
        chance = float(randomiser.p if place == 0 else randomiser.q)
        assert stats.binomtest(ones, _DRAWN, chance).pvalue > 1e-6


def _reports(script: Page, randomiser: Randomiser, answer: int) -> Counter[str]:
    drawn = script.evaluate(
        """([rule, answer, number]) => {
          const found = {};
          for (let n = 0; n < number; n += 1) {
            const report = dpgovSurvey.drawn(rule, answer);
            found[report] = (found[report] ?? 0) + 1;
          }
          return found;
        }""",
        [_rule(randomiser), answer, _DRAWN],
    )
    return Counter(drawn)


def _with(reports: Counter[str], *, first: str, second: str) -> int:
    return sum(n for report, n in reports.items() if report[0] == first and report[1] == second)
