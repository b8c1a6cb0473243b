"""A release as a PDF: what its page shows, to whom it shows it, and nothing more."""

import json
import re
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from django.test import Client

from dpgov.queries.models import Query, Release
from dpgov.queries.wording import paper
from dpgov.queries.wording.presentation import read_answer
from dpgov.tenants.models import Membership, Role
from dpgov.web.paper import page, tables
from tests.cast import join
from tests.made_once import made_once

Ask = Callable[..., Query]
ClientFor = Callable[[Membership], Client]


@made_once
def answered(analyst: Membership, ask: Ask, answer_now: Callable[[], int]) -> Query:
    """A released count and mean for each education."""
    query = ask(
        analyst,
        statistics=({"statistic": "count"}, {"statistic": "mean", "column": "age"}),
        group_by=({"column": "education", "categories": ["Primary", "Tertiary"]},),
        epsilon=2,
    )
    answer_now()
    return query


def _written(browser: Client, query: Query) -> tuple[bytes, str, list[Any]]:
    """The file, all of its sentences, and the rows of its tables."""
    with (
        patch.object(paper, "text", wraps=page.text) as text,
        patch.object(paper, "table", wraps=tables.table) as table,
        patch.object(paper, "started", wraps=page.started) as started,
    ):
        response = browser.get(f"/queries/{query.pk}/download/pdf/")
    assert response["Content-Type"] == "application/pdf"
    words = [started.call_args.args[0], *(call.args[1] for call in text.call_args_list)]
    return response.content, "\n".join(words), [call.args[2] for call in table.call_args_list]


def test_it_holds_the_numbers_of_the_page_with_their_error(
    browser: Client, answered: Query
) -> None:
    pdf, words, (numbers, facts, noise) = _written(browser, answered)
    answer = read_answer(json.loads(Release.objects.get(query=answered).body))
    assert pdf.startswith(b"%PDF-")
    assert [row[:1] for row in numbers] == [("Primary",), ("Tertiary",), ("other",)]
    for row, (_labels, cells) in zip(numbers, answer.rows, strict=True):
        assert row[1:] == tuple(f"{cell.value} {cell.errors[1]}" for cell in cells)
    assert dict(facts)["Price"] == "ε 2"
    assert dict(facts)["Version"] == "1"
    assert dict(facts)["SHA-256 of the answer"] == Release.objects.get(query=answered).sha256
    assert {row[1] for row in noise} == {one.mechanism for one in answer.drawings}
    assert f"http://testserver/queries/{answered.pk}/receipt/" in words
    assert "Differentially private answer (ε 2)" in words
    assert answer.guarantee[0] in words
    assert "This answer used ε 2 of the dataset's budget." in words


def test_a_median_says_on_paper_within_how_many_rows_it_is(
    browser: Client, analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    """E5: "37, within 75 rows": a bare "37 75 rows" is two numbers."""
    by = {"column": "education", "categories": ["Primary"]}
    query = ask(
        analyst,
        statistics=({"statistic": "median", "column": "age"},),
        group_by=(by,),
        epsilon=2,
    )
    answer_now()
    _pdf, _words, (numbers, *_rest) = _written(browser, query)
    _head, *cells = numbers[0]
    assert re.fullmatch(r"\d+, within \d+ rows", cells[0])


def test_equal_releases_give_equal_bytes(browser: Client, answered: Query) -> None:
    first, again = (browser.get(f"/queries/{answered.pk}/download/pdf/") for _ in range(2))
    assert first.content == again.content
    assert f"-{answered.submitted_at:%Y-%m-%d-%H%M}.pdf" in first["Content-Disposition"]


def test_it_is_for_who_sees_the_page_and_for_an_answer_alone(
    answered: Query, ask: Ask, analyst: Membership, owner: Membership, client_for: ClientFor
) -> None:
    """H1: a colleague's browser and a question without an answer find nothing."""
    address = f"/queries/{answered.pk}/download/pdf/"
    colleague = join(analyst.tenant, Role.ANALYST, "carla")
    assert client_for(owner).get(address).status_code == 200
    assert client_for(colleague).get(address).status_code == 404
    waiting = ask(analyst, epsilon=0.25)
    assert client_for(analyst).get(f"/queries/{waiting.pk}/download/pdf/").status_code == 404


def test_single_numbers_stand_with_their_intervals_in_the_readers_language(
    analyst: Membership, ask: Ask, answer_now: Callable[[], int], browser: Client
) -> None:
    query = ask(analyst, epsilon=1)
    answer_now()
    browser.cookies["django_language"] = "de"
    pdf, words, tables = _written(browser, query)
    assert b"/Lang (de)" in pdf
    assert "Anzahl der Zeilen" in words
    assert len(tables[0]) == 1
