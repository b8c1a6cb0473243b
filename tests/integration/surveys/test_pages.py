"""M1: pages and the API say what the services did; who may not see something finds it missing."""

import json
from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO, parse_epsilon
from dpgov.privacy.local.randomiser import for_epsilon
from dpgov.surveys.models import Survey, SurveyToken, Tally
from dpgov.surveys.rest import answering as doors
from dpgov.surveys.services import close_survey, receive
from dpgov.surveys.web.respond import integrity, sha256
from dpgov.surveys.wording import rule_of
from dpgov.tenants.models import Membership
from tests.integration.surveys.made import LATER, drafted, opened, shared, tokens

_ROOT = Path(__file__).resolve().parents[3]
Browsers = Callable[[Membership], Client]


def _typed(**more: str) -> dict[str, str]:
    return {
        "question": "How often?",
        "answers": "Never\nOnce\nOften",
        "epsilon": "1.1",
        "expected": "500",
        "closes_on": LATER.isoformat(),
        "by_token": "yes",
    } | more


@pytest.mark.parametrize("answers", [2, 3, 12, 40])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "1.1", "2.5", "5"])
def test_the_rule_tells_no_smaller_odds_than_the_exact_ones(answers: int, epsilon: str) -> None:
    """M1: rounded up, so that "at most" is true of what is shown; by a hundredth of it at most."""
    randomiser = for_epsilon(answers, parse_epsilon(epsilon))
    shown = Fraction(rule_of(randomiser).odds)
    assert 0 <= shown - randomiser.odds < randomiser.odds / 99


def test_an_owner_drafts_sees_the_price_and_opens(owner: Membership, client_for: Browsers) -> None:
    """M1: the ± is told before anything is charged."""
    browser = client_for(owner)
    browser.post(reverse("surveys:new"), _typed())
    survey = Survey.objects.get()
    page = browser.get(reverse("surveys:detail", args=[survey.pk])).content.decode()
    assert "With 500 answers" in page
    assert "± 11" in page
    browser.post(reverse("surveys:open", args=[survey.pk]))
    survey.refresh_from_db()
    assert survey.state == "open"


def test_a_number_is_asked_for_in_ranges(owner: Membership, client_for: Browsers) -> None:
    ranges = _typed(answers="", lower="0", upper="60", ranges="4")
    client_for(owner).post(reverse("surveys:new"), ranges)
    assert Survey.objects.get().answers == [
        "below 15",
        "from 15 to below 30",
        "from 30 to below 45",
        "45 or more",
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"answers": ""},
        {"lower": "1"},
        {"answers": "", "lower": "5", "upper": "1", "ranges": "3"},
        {"answers": "", "lower": "x", "upper": "1", "ranges": "3"},
        {"answers": "Yes\nyes"},
        {"epsilon": "11"},
        {"closes_on": "2001-01-01"},
    ],
    ids=str,
)
def test_what_makes_no_survey_is_said_at_the_form(
    owner: Membership, client_for: Browsers, wrong: dict[str, str]
) -> None:
    answer = client_for(owner).post(reverse("surveys:new"), _typed(**wrong))
    assert answer.status_code == 422
    assert Survey.objects.count() == 0


def test_a_shared_budget_waits_for_an_officer(
    owner: Membership, officer: Membership, client_for: Browsers
) -> None:
    budget = shared(owner)
    browser = client_for(owner)
    browser.post(reverse("surveys:new"), _typed(shared_budget=str(budget.pk)))
    survey = Survey.objects.get()
    asked = browser.post(reverse("surveys:open", args=[survey.pk]), {"reason": "yearly"})
    page = client_for(officer).get(asked["Location"]).content.decode()
    assert "Each person who answers loses ε 1.1 once" in page
    decided = client_for(officer).post(asked["Location"] + "approve/", {"reason": "fits"})
    assert decided.status_code == 302
    survey.refresh_from_db()
    budget.refresh_from_db()
    assert (survey.state, budget.spent_nano) == ("open", 1_100_000_000)
    history = browser.get(reverse("limits:shared_budget", args=[budget.pk]))
    assert "A survey was opened" in history.content.decode()


@pytest.mark.parametrize(
    ("reason", "shares", "said"),
    [
        ("the yearly survey", True, "organisation"),
        ("the yearly survey " * 40, False, "at most 500 characters"),
    ],
    ids=["refused", "too long"],
)
def test_a_refused_reason_is_still_there(
    owner: Membership,
    client_for: Browsers,
    monkeypatch: pytest.MonkeyPatch,
    reason: str,
    shares: bool,
    said: str,
) -> None:
    monkeypatch.setattr("dpgov.surveys.services.opening.shared_with_others", lambda *_: shares)
    survey = drafted(owner, shared_budget=shared(owner))
    refused = client_for(owner).post(reverse("surveys:open", args=[survey.pk]), {"reason": reason})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert said in page
    assert reason.strip() in page


def test_tokens_are_a_file_of_links_made_once(owner: Membership, client_for: Browsers) -> None:
    """M1: the token stands behind "#", where no server's log sees it."""
    survey = opened(owner)
    made = client_for(owner).post(reverse("surveys:tokens", args=[survey.pk]), {"number": "3"})
    head, *links = made.content.decode().split()
    assert head == "link"
    assert all(f"/s/{survey.code}/#" in link for link in links)
    kept = {row.token_hash for row in SurveyToken.objects.all()}
    assert len(kept) == 3
    assert not any(link.partition("#")[2] in kept for link in links)


def test_drafts_are_for_owners_and_officers_and_their_address_is_missing(
    owner: Membership, analyst: Membership, client_for: Browsers, client: Client
) -> None:
    draft = drafted(owner)
    assert client_for(analyst).get(reverse("surveys:detail", args=[draft.pk])).status_code == 404
    assert client.get(reverse("surveys:respond", args=[draft.code])).status_code == 404
    assert client.get(reverse("v1:survey-answer", args=[draft.code])).status_code == 404


def test_estimates_are_shown_with_a_table_and_read_by_programs(
    owner: Membership, analyst: Membership, client_for: Browsers, api_for: Any
) -> None:
    """M1: the anchor at 3/4: 400 of 1,000 are 30%."""
    survey = opened(owner, epsilon_nano=1_098_612_289, by_token=False)
    for place in range(10):
        receive(survey=survey, token=f"{place:032x}", report="0" if place < 4 else "1")
    page = client_for(analyst).get(reverse("surveys:detail", args=[survey.pk])).content.decode()
    assert "Estimates from 10 reports" in page
    assert "30.0%" in page
    told = api_for(analyst).get(f"/api/v1/surveys/{survey.pk}/").json()
    assert told["estimates"][0]["estimate"] == pytest.approx(0.3)
    assert told["reports"] == 10


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"token": "f" * 32, "report": "0"}, 400, "token_unknown"),
        ({"report": "0"}, 400, "token_unknown"),
        ({"token": "f" * 32, "report": "7"}, 400, "not_a_report"),
        ({"token": "f" * 32}, 400, "not_a_report"),
        ({"token": "f" * 32, "answer": "Yes"}, 400, "invalid"),
        (["Yes"], 400, "not_a_report"),
    ],
)
def test_what_is_wrong_with_a_report_is_said_and_nothing_recorded(
    owner: Membership, client: Client, body: object, status: int, code: str
) -> None:
    """M1: each its own code."""
    survey = opened(owner)
    answer = _sent(client, survey, body)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (status, code)
    assert Tally.objects.get().reports == 0


def test_a_spent_token_and_a_closed_survey_are_conflicts(owner: Membership, client: Client) -> None:
    survey = opened(owner)
    first, second = tokens(owner, survey, 2)
    assert _sent(client, survey, {"token": first, "report": "0"}).status_code == 201
    spent = _sent(client, survey, {"token": first, "report": "0"})
    assert (spent.status_code, spent.json()["errors"][0]["code"]) == (409, "token_spent")
    close_survey(membership=owner, survey=survey)
    closed = _sent(client, survey, {"token": second, "report": "0"})
    assert (closed.status_code, closed.json()["errors"][0]["code"]) == (409, "survey_closed")
    assert Tally.objects.get().reports == 1


def test_a_form_that_another_site_sends_is_not_read(owner: Membership, client: Client) -> None:
    """M1: without a token of the form there is JSON alone, which no foreign form can send."""
    survey = opened(owner, by_token=False)
    sent = client.post(
        reverse("v1:survey-answer", args=[survey.code]), {"token": "0" * 32, "report": "0"}
    )
    plain = client.post(
        reverse("v1:survey-answer", args=[survey.code]), '{"report": "0"}', "text/plain"
    )
    assert (sent.status_code, plain.status_code) == (415, 415)
    assert Tally.objects.get().reports == 0


def test_one_origin_sends_so_many_in_a_minute(
    owner: Membership, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "A_MINUTE_ORIGIN", 3)
    survey = opened(owner)
    body = {"token": "f" * 32, "report": "0"}
    statuses = [_sent(client, survey, body).status_code for _ in range(8)]
    assert statuses[0] == 400
    assert statuses[-1] == 429


def test_the_page_names_the_hash_of_the_script_that_it_runs(
    owner: Membership, client: Client
) -> None:
    """M1: on the page, as the browser's own check, and in the documentation."""
    page = client.get(reverse("surveys:respond", args=[opened(owner).code])).content.decode()
    assert sha256() in page
    assert f'integrity="{integrity()}"' in page
    assert sha256() in (_ROOT / "docs/surveys.md").read_text()


def test_the_page_says_what_is_hidden_and_what_is_not(owner: Membership, client: Client) -> None:
    page = client.get(reverse("surveys:respond", args=[opened(owner).code])).content.decode()
    assert "That you took part is not hidden" in page
    assert "membership" not in page


def test_its_last_day_is_written_as_its_reader_s_language_writes_days(
    owner: Membership, client: Client, client_for: Browsers
) -> None:
    """To respondents without an account, in the list and on its page."""
    survey = opened(owner)
    browser = client_for(owner)
    pages = {
        reverse("surveys:respond", args=[survey.code]): client,
        reverse("surveys:detail", args=[survey.pk]): browser,
        reverse("surveys:list"): browser,
    }
    for page, reader in pages.items():
        for language, day in (("en-gb", "31 Dec 2999"), ("de", "31. Dez 2999")):
            reader.cookies["django_language"] = language
            assert day in reader.get(page).content.decode(), page


def test_after_its_last_day_a_survey_takes_nothing_and_says_so(
    owner: Membership, client: Client
) -> None:
    survey = opened(owner, closes_on=clock.now().date(), by_token=False)
    tomorrow = clock.now() + timedelta(days=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "now", lambda: tomorrow)
        page = client.get(reverse("surveys:respond", args=[survey.code])).content.decode()
        answer = _sent(client, survey, {"token": "0" * 32, "report": "0"})
    assert "This survey is closed." in page
    assert answer.status_code == 409


def test_the_command_line_refuses_what_is_no_link() -> None:
    with pytest.raises(CommandError, match="whole link"):
        call_command("respond", "ftp://somewhere/s/x/", "Yes")


def test_the_form_of_a_program_says_the_rule_and_no_number_of_reports(
    owner: Membership, client: Client
) -> None:
    survey = opened(owner)
    told = client.get(reverse("v1:survey-answer", args=[survey.code])).json()
    assert told["kept"] + told["other"] == 2**32
    assert told["epsilon"] <= survey.epsilon_nano / NANO
    assert not {"reports", "counts", "id"} & set(told)


def _sent(client: Client, survey: Survey, body: object) -> Any:
    address = reverse("v1:survey-answer", args=[survey.code])
    return client.post(address, json.dumps(body), "application/json")
