"""What an answer that says nothing would cost to say something: out of public numbers alone."""

import json
import re
from collections.abc import Callable

from django.test import Client

from dpgov.queries.asking.enough import enough_in_words, noisy_rows
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.integration.queries.web.test_quote_page import text_of
from tests.triggers import without_triggers

Ask = Callable[..., Query]
MEAN = ({"statistic": "mean", "column": "age"},)


def test_an_empty_answer_says_so_first_and_no_interval_after_it(
    browser: Client, analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    """Whatever is drawn: noise may say that many rows came, and then the answer says something."""
    query = ask(analyst, statistics=MEAN, epsilon="0.001")
    answer_now()
    query.refresh_from_db()
    body = json.loads(query.release.body)
    for bound in body["statistics"][0]["cells"][0]["accuracy"]:
        bound["value"] = 100
    with without_triggers("queries_release"):
        Release.objects.filter(pk=query.release.pk).update(body=json.dumps(body))
    said = text_of(browser.get(f"/queries/{query.pk}/").content)
    assert "This answer says nothing: its error is as wide as everything it can be" in said
    assert "The true number lies between" not in said


def test_of_a_mean_the_rows_are_those_of_its_own_noisy_count(
    analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> None:
    """Nothing is read but the release."""
    query = ask(analyst, statistics=MEAN, epsilon=2)
    answer_now()
    query.refresh_from_db()
    body = json.loads(query.release.body)
    whole = round(1 / body["draws"][0]["readings"][0]["lattice"])
    body["draws"][0]["cells"] = [[150 * whole, 50 * whole]]
    assert noisy_rows(body, 0) == 200
    said = enough_in_words(query.version, body, 0)
    assert re.fullmatch(r"For ± [\d.]+ it would cost about ε \d\.\d{1,2}\.", said)
    body["draws"][0]["cells"] = [[0, 0]]
    assert noisy_rows(body, 0) is None
    # Without a number of rows there is no price to name, and none is made up.
    assert enough_in_words(query.version, body, 0) == ""
