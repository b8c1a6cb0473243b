"""What dashboards say in another language, and what stays English for everybody."""

from collections.abc import Callable, Generator

import pytest
from django.conf import settings
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import translation

from dpgov.dashboards.budget.shares import mechanisms_in_words
from dpgov.explain.glossary import TERMS
from dpgov.explain.glossary.term import LINKS
from dpgov.explain.templatetags.guesses import guesses, nth
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.meaning.odds import Frequency
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership


@pytest.fixture(autouse=True)
def _english_before_and_after() -> Generator[None]:
    with translation.override(settings.LANGUAGE_CODE):
        yield


def test_a_glossary_link_is_called_as_its_word() -> None:
    assert set(LINKS) == {anchor for term in TERMS.values() for anchor in term.see}
    assert TERMS["rho"].links == [("delta", "δ"), ("composition", "composition")]


@pytest.mark.parametrize(
    ("kind", "counting", "by"),
    [
        ("histogram.sum-by_group", Mode.PURE, "discrete Laplace"),
        ("median-overall", Mode.PURE, "report noisy max"),
        ("mean.min-overall", Mode.PURE, "discrete Laplace and report noisy max"),
        ("count_distinct-overall", Mode.ZCDP, "discrete Gaussian or discrete Laplace"),
    ],
)
def test_a_kind_is_said_to_be_released_by_what_releases_it(
    kind: str, counting: Mode, by: str
) -> None:
    """Of a noisy choice no page says that Laplace noise was added to it."""
    assert mechanisms_in_words(kind, counting) == by


def test_thousands_are_parted_as_the_reader_does() -> None:
    share = Frequency(9_992, 10_000)
    assert (guesses(share), nth(1_000)) == ("9,992 of 10,000", "1,000th")
    assert (guesses(Frequency(1, 1)), guesses(None)) == ("possibly all", "")
    with translation.override("de"):
        assert "10\u202f000" in guesses(share)
        assert nth(1_000) == "1\u202f000."


def test_the_file_of_questions_is_english_for_everybody(
    in_use: list[Query],
    officer: Membership,
    client_for: Callable[[Membership], Client],
) -> None:
    client = client_for(officer)
    client.cookies["django_language"] = "de"
    response = client.get(reverse("dashboards:history_export"))
    assert isinstance(response, StreamingHttpResponse)
    heading, *lines = response.getvalue().decode().splitlines()
    assert (
        heading == "submitted,dataset,analyst,question,epsilon,rho,epsilon_at_delta,delta,state,id,"
        "organisations,may_collude"
    )
    assert len(lines) == len(in_use)
    client.cookies["django_language"] = "en-gb"
    in_english = client.get(reverse("dashboards:history_export"))
    assert isinstance(in_english, StreamingHttpResponse)
    assert [heading, *lines] == in_english.getvalue().decode().splitlines()
    assert any("Count of rows" in line for line in lines)
