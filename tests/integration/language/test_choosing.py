"""The language of pages: as the reader chose, else as the browser wishes; programs hear English."""

import os
import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import sync_playwright
from rest_framework.test import APIClient

from dpgov.tenants.models import Membership, User
from tests.answers import Answer
from tests.journeys.browser import ARGUMENTS
from tests.servers.missing import find_browser

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
ENGLISH, GERMAN = "en-gb", "de"
ELSEWHERE = (
    "https://elsewhere.example.org/",
    "//elsewhere.example.org/",
    "https:///elsewhere.example.org/",
    "\\\\elsewhere.example.org",
    "http:elsewhere.example.org",
    "javascript:alert(1)",
)


def choose(browser: Client, code: str, **more: Any) -> Answer:
    data = {"language": code, **more.pop("data", {})}
    answer: Answer = browser.post(reverse("tenants:language"), data, **more)
    return answer


def language_of_page(answer: Answer) -> str:
    found = re.search(r'<html lang="([^"]+)"', answer.content.decode())
    return found[1] if found else ""


def cookie_of(browser: Client) -> str:
    kept = browser.cookies.get(settings.LANGUAGE_COOKIE_NAME)
    return kept.value if kept else ""


def test_the_switch_is_remembered_by_the_browser_and_with_the_person(
    analyst: Membership, client_for: ClientFor
) -> None:
    browser = client_for(analyst)
    assert choose(browser, GERMAN).status_code == 302
    assert cookie_of(browser) == GERMAN
    assert User.objects.get(pk=analyst.user_id).language == GERMAN
    choose(browser, ENGLISH)
    assert (cookie_of(browser), User.objects.get(pk=analyst.user_id).language) == (ENGLISH,) * 2


def test_nobody_else_s_language_changes(
    analyst: Membership, officer: Membership, client: Client, client_for: ClientFor
) -> None:
    choose(client, GERMAN)
    choose(client_for(analyst), GERMAN)
    assert cookie_of(client) == GERMAN
    assert list(User.objects.filter(language=GERMAN)) == [analyst.user]


def test_the_page_says_what_language_it_is_in_and_offers_the_other(
    analyst: Membership, client_for: ClientFor
) -> None:
    browser = client_for(analyst)
    assert language_of_page(browser.get(reverse("notices:list"))) == ENGLISH
    choose(browser, GERMAN)
    page = browser.get(reverse("notices:list"))
    assert language_of_page(page) == GERMAN
    assert "<h1>Mitteilungen</h1>" in page.content.decode()
    assert f'value="{ENGLISH}" lang="{ENGLISH}">English</button>' in page.content.decode()


@pytest.mark.parametrize("code", ["", "fr", "de-at", "DE", "../de", "de\r\nX-Sent: 1"])
def test_a_language_that_is_not_offered_is_refused(
    analyst: Membership, client_for: ClientFor, code: str
) -> None:
    browser = client_for(analyst)
    assert choose(browser, code).status_code == 400
    assert cookie_of(browser) == ""
    assert User.objects.get(pk=analyst.user_id).language == ""


def test_looking_at_the_address_or_posting_from_another_site_changes_nothing(
    analyst: Membership,
) -> None:
    wary = Client(enforce_csrf_checks=True)
    wary.force_login(analyst.user)
    assert wary.get(reverse("tenants:language"), {"language": GERMAN}).status_code == 405
    assert choose(wary, GERMAN).status_code == 403
    assert cookie_of(wary) == ""


@pytest.mark.parametrize("address", ELSEWHERE)
def test_the_way_back_never_leads_to_another_site(client: Client, address: str) -> None:
    ways = (
        choose(client, GERMAN, data={"next": address}),
        choose(client, GERMAN, query_params={"next": address}),
        choose(client, GERMAN, headers={"referer": address}),
    )
    assert [(way.status_code, way.headers["Location"]) for way in ways] == [(302, "/")] * 3


def test_the_way_back_leads_to_where_one_was(client: Client) -> None:
    here = "http://testserver/account/login/?next=/notices/"
    back = choose(client, GERMAN, headers={"referer": here})
    assert back.headers["Location"].removeprefix("http://testserver") == (
        "/account/login/?next=/notices/"
    )


@pytest.mark.parametrize(
    ("drawn", "above"),
    [
        (f"/datasets/new/{UUID(int=7)}/review/", f"/datasets/new/{UUID(int=7)}/"),
        ("/datasets/hospital-stays/reuse/", "/datasets/hospital-stays/"),
        (f"/approvals/{UUID(int=7)}/reject/?page=2", f"/approvals/{UUID(int=7)}/"),
        ("/datasets/hospital-stays/ask/?q=1", "/datasets/hospital-stays/ask/?q=1"),
        ("/nowhere/at/all/", "/nowhere/at/all/"),
    ],
)
def test_from_a_page_that_a_form_s_answer_has_drawn_the_way_leads_above_it(
    client: Client, drawn: str, above: str
) -> None:
    back = choose(client, GERMAN, headers={"referer": f"http://testserver{drawn}"})
    assert back.headers["Location"].removeprefix("http://testserver") == above
    assert cookie_of(client) == GERMAN


@pytest.mark.parametrize(
    ("wish", "language"),
    [
        ("de", GERMAN),
        ("de-AT,de;q=0.9,en;q=0.5", GERMAN),
        ("fr,de;q=0.5,en;q=0.1", GERMAN),
        ("en-US,de;q=0.5", ENGLISH),
        ("fr", ENGLISH),
        ("*", ENGLISH),
        (", ;q=x", ENGLISH),
    ],
)
def test_until_somebody_chooses_the_browser_s_wish_counts(
    client: Client, wish: str, language: str
) -> None:
    page = client.get(reverse("account_login"), headers={"accept-language": wish})
    assert language_of_page(page) == language
    assert page.headers["Content-Language"] == language
    assert "Accept-Language" in page.headers["Vary"]


def test_a_choice_counts_more_than_the_browser_s_wish(client: Client) -> None:
    choose(client, ENGLISH)
    page = client.get(reverse("account_login"), headers={"accept-language": "de"})
    assert language_of_page(page) == ENGLISH


def test_the_api_answers_in_english_whatever_it_is_asked_for(
    analyst: Membership, api_for: Callable[[Membership], APIClient]
) -> None:
    program, nobody = api_for(analyst), APIClient()
    german: dict[str, Any] = {"headers": {"accept-language": GERMAN}}
    for client in (program, nobody):
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = GERMAN
    refusals = [client.get("/api/v1/datasets/nowhere/", **german) for client in (program, nobody)]
    assert [answer.json()["errors"][0]["detail"] for answer in refusals] == [
        "Not found.",
        "Authentication credentials were not provided.",
    ]
    assert {answer.headers["Content-Language"] for answer in refusals} == {ENGLISH}


@pytest.mark.parametrize("language", [ENGLISH, GERMAN])
def test_a_reader_program_is_told_the_language_rightly(client: Client, language: str) -> None:
    page = client.get(reverse("account_login"), headers={"accept-language": language})
    rules = ["html-has-lang", "html-lang-valid", "valid-lang"]
    program = find_browser()
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS + sandbox)
        window = browser.new_page()
        window.set_content(page.content.decode(), wait_until="domcontentloaded")
        found = Axe().run(window, options={"runOnly": rules}).response
        browser.close()
    assert {rule["id"] for rule in found["passes"]} == set(rules)
    assert found["violations"] == []
