"""The page of a question: from waiting to its answer, for who may see it and nobody else."""

import json
import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.engines.files import DuckDBEngine
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import answer_query
from tests.declared import declare_otherwise
from tests.integration.queries.conftest import Filled
from tests.integration.queries.web.test_quote_page import text_of, without_tokens

Ask = Callable[..., Query]
MEAN = ({"statistic": "mean", "column": "age"},)
BY_EDUCATION = ({"column": "education", "categories": ["Primary", "Secondary", "Tertiary"]},)


def body_of(query: Query) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(Query.objects.get(pk=query.pk).release.body)
    return body


def plain(shown: str) -> str:
    """A number of a page as Python reads it."""
    return shown.replace(",", "").replace("\u2212", "-")


def test_while_waiting_the_page_polls_and_says_what_is_reserved(
    browser: Client, analyst: Membership, ask: Ask
) -> None:
    query = ask(analyst)
    page = browser.get(f"/queries/{query.pk}/")
    assert f'hx-get="/queries/{query.pk}/status/"' in page.content.decode()
    assert "ε 0.5 is reserved" in text_of(page.content)
    assert "Reload" in text_of(page.content)


def test_the_answer_replaces_the_waiting_part_and_polling_ends(
    browser: Client, analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    query = ask(analyst)
    answer_now()
    fragment = browser.get(f"/queries/{query.pk}/status/").content.decode()
    assert fragment.strip().startswith('<div id="status"')
    assert "hx-trigger" not in fragment


def test_an_answer_stays_waiting_until_it_is_published(
    browser: Client, analyst: Membership, ask: Ask
) -> None:
    """E6: also on pages and downloads."""
    query = ask(analyst)
    assert answer_query(query.pk)
    assert "state-waiting" in browser.get(f"/queries/{query.pk}/").content.decode()
    assert browser.get(f"/queries/{query.pk}/download/json/").status_code == 404


def test_a_mean_is_shown_with_its_interval_and_how_it_was_made(
    browser: Client, analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    query = ask(analyst, statistics=MEAN, epsilon=2)
    answer_now()
    said = text_of(browser.get(f"/queries/{query.pk}/").content)
    cell = body_of(query)["statistics"][0]["cells"][0]
    assert re.search(r"Mean of age", said)
    assert f"{cell['value']:.0f}" in said or f"{cell['value']:.1f}" in said
    assert re.search(r"± [\d.]+ at 95%", said)
    assert "discrete Laplace" in said
    assert "with 95% confidence" in said
    assert "at most 7.39 times as likely" in said
    for reading in body_of(query)["draws"][0]["readings"]:
        assert reading["name"] in said


def test_a_grouped_answer_has_a_chart_and_a_table_of_the_same_numbers(
    browser: Client, analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    """E5: every declared group and the one for the rest, in the declared order."""
    query = ask(analyst, group_by=BY_EDUCATION, epsilon=1)
    answer_now()
    page = browser.get(f"/queries/{query.pk}/").content.decode()
    figure = re.search(r'<script id="answer-chart-1-figure"[^>]*>(.*?)</script>', page, re.S)
    assert figure is not None
    values = [cell["value"] for cell in body_of(query)["statistics"][0]["cells"]]
    # The one for the rest is left out of the picture while it is empty within its noise.
    drawn = json.loads(figure[1])["data"][0]["y"]
    assert drawn in (values, values[:3])
    rows = re.findall(r'class="fw-normal answer-group" translate="no">(\w+)</th>', page)
    assert rows[:4] == ["Primary", "Secondary", "Tertiary", "other"]
    table = re.findall(r'<td class="number">(\u2212?[\d,]+)</td>', page)
    assert [float(plain(text)) for text in table[:4]] == values


def test_counts_of_groups_are_also_shown_without_negative_ones_and_named_as_adjusted(
    browser: Client, analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    """The released numbers stay beside them, with their own error bounds."""
    query = ask(analyst, group_by=BY_EDUCATION, epsilon="0.01")
    answer_now()
    page = browser.get(f"/queries/{query.pk}/").content.decode()
    adjusted = re.findall(r'<td class="number answer-adjusted">([\d,]+)</td>', page)
    stored = body_of(query)["statistics"][0]["adjusted"]["values"]
    assert [int(plain(text)) for text in adjusted] == stored
    assert "made never negative, adding up to the same total" in text_of(page.encode())


def test_two_groupings_are_shown_row_by_row(
    browser: Client, analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    by_sex = {"column": "sex", "categories": ["Female", "Male"]}
    query = ask(
        analyst, group_by=(*BY_EDUCATION, by_sex), statistics=({"statistic": "count"}, *MEAN)
    )
    answer_now()
    page = text_of(browser.get(f"/queries/{query.pk}/").content)
    assert "Primary Female" in page
    assert "other other" in page


def test_a_failure_after_the_data_was_opened_has_one_fixed_wording(
    browser: Client, analyst: Membership, ask: Ask, answer_now: Callable[[], int], monkeypatch: Any
) -> None:
    """E3, B7: charged, and the page is that of a time-out."""

    def explode(*_: object) -> None:
        raise RuntimeError("canary 4711 in row 17")

    pages = []
    for seconds_or_error in ("error", "time-out"):
        query = ask(analyst)
        with monkeypatch.context() as patch:
            if seconds_or_error == "error":
                patch.setattr(DuckDBEngine, "answer", explode)
            else:
                patch.setattr("dpgov.queries.answering.answer.draw", _interrupted)
            answer_now()
        assert Query.objects.get(pk=query.pk).state == Query.State.FAILED
        fragment = browser.get(f"/queries/{query.pk}/status/").content.decode()
        pages.append(fragment.replace(str(query.pk), ""))
    assert pages[0] == pages[1]
    assert "could not be answered. Its price was charged" in pages[0]
    assert "4711" not in pages[0]


def _interrupted(*_: object) -> None:
    raise TimeoutError


def test_a_question_that_never_ran_says_that_nothing_was_charged(
    browser: Client,
    analyst: Membership,
    ask: Ask,
    answer_now: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """B7: it cannot be prepared, before anything is opened."""

    def impossible(_: object) -> None:
        raise ValueError

    query = ask(analyst)
    monkeypatch.setattr("dpgov.queries.answering.answer.engine_for", impossible)
    answer_now()
    assert "was not run. Nothing was charged." in text_of(
        browser.get(f"/queries/{query.pk}/").content
    )


def test_nothing_of_workers_or_durations_is_shown(
    client_for: Callable[[Membership], Client],
    analyst: Membership,
    owner: Membership,
    ask: Ask,
    answer_now: Callable[[], int],
) -> None:
    """E8: the only time on the page is that of submission."""
    query = ask(analyst)
    answer_now()
    Query.objects.filter(pk=query.pk).update(attempts=7, fence=47114711)
    for person in (analyst, owner):
        page = client_for(person).get(f"/queries/{query.pk}/").content.decode()
        assert page.count("<time") == 1
        assert not re.search(
            r"47114711|attempts|\blease|worker|\bseconds?\b", text_of(page.encode())
        )


_FILES = ("csv", "json", "pdf")


@pytest.mark.parametrize(
    "page", ["", "status/", "download/csv/", "download/json/", "download/pdf/"]
)
def test_a_foreign_question_looks_like_a_missing_one(
    page: str,
    client_for: Callable[[Membership], Client],
    analyst: Membership,
    stranger: Membership,
    ask: Ask,
    answer_now: Callable[[], int],
) -> None:
    """H1: same status and body."""
    query = ask(analyst)
    answer_now()
    browser = client_for(stranger)
    foreign, missing = (browser.get(f"/queries/{i}/{page}") for i in (query.pk, uuid4()))
    assert foreign.status_code == missing.status_code == 404
    assert without_tokens(foreign.content) == without_tokens(missing.content)


def test_a_colleague_analyst_does_not_see_the_question(
    client_for: Callable[[Membership], Client], analyst: Membership, admin: Membership, ask: Ask
) -> None:
    query = ask(analyst)
    assert client_for(admin).get(f"/queries/{query.pk}/").status_code == 404


def test_a_removed_analyst_does_not_get_the_answer(
    browser: Client, analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    """H7: the role ended while the question waited."""
    query = ask(analyst)
    analyst.delete()
    answer_now()
    for page in ("", "status/", "download/json/"):
        assert browser.get(f"/queries/{query.pk}/{page}").status_code in (403, 404)


def test_script_in_a_category_is_inert(
    browser: Client, dataset: Dataset, analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    """J6: in the table, the chart's data and the form."""
    evil = "</script><script>alert(1)</script>"
    education = dataset.versions.get().columns.filter(name="education")
    declare_otherwise(education, categories=[evil, "b", "c"])
    query = ask(analyst, group_by=({"column": "education", "categories": [evil]},))
    answer_now()
    filled = Filled().add("statistic", kind="count")
    filled.add("group", column="education", which="some", values=[evil])
    pages = [
        browser.get(f"/queries/{query.pk}/"),
        browser.post("/datasets/visits/quote/", filled.posted()),
        browser.post("/datasets/visits/ask/", filled.posted(action="price")),
    ]
    for page in pages:
        assert page.status_code == 200
        assert "<script>alert" not in page.content.decode()
