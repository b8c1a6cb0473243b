"""Help with choosing an ε: consequences of what is typed, never a declaration."""

from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.datasets.choosing import DEPLOYMENTS, HARMS, consequences, ladder, place_of
from dpgov.datasets.models import Upload
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.privacy.meaning.odds import Frequency
from dpgov.tenants.models import Membership

SignIn = Callable[[Membership], Client]


def now(client: Client, **typed: str) -> str:
    response = client.get(reverse("datasets:choosing_now"), typed)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_consequences_are_those_of_the_mathematics() -> None:
    found = consequences(NANO, question_nano=NANO // 10)
    assert found.present == Frequency(74, 100)
    assert found.says == Frequency(89, 100)
    assert found.factor == "2.72"
    assert found.questions == 10
    # P(|noise| > 29) is 5.2% for discrete Laplace noise of scale 10, P(|noise| > 30) 4.7%
    assert found.error == 30


def test_more_epsilon_is_never_shown_as_safer_nor_as_noisier() -> None:
    steps = ladder()
    shares = [Decimal(step.says.count) / step.says.of for step in steps]
    assert shares == sorted(shares)
    assert [step.error for step in steps] == sorted((step.error for step in steps), reverse=True)


def test_many_small_questions_fit_under_rho() -> None:
    zcdp = Currency(Mode.ZCDP, Decimal("1e-6"))
    pure = consequences(NANO, question_nano=NANO // 100)
    other = consequences(NANO, question_nano=NANO // 100, currency=zcdp)
    assert pure.questions == 100
    assert other.questions > 4 * pure.questions


def test_what_is_typed_is_answered_in_plain_words(browser: Client) -> None:
    said = now(browser, epsilon_limit="3", epsilon_per_query="1")
    assert "<strong>96 of 100</strong> guess right whether one row is in the data" in said
    assert "3 questions of ε&nbsp;1 fit" in said
    assert "The odds of the first guess can be multiplied by 20.1." in said
    said = now(browser, epsilon_limit="3", neighbouring="change_one")
    assert "is in the data" not in said
    assert "The odds of a guess can be multiplied by 20.1." in said


@pytest.mark.parametrize(
    ("epsilon", "neighbouring", "words"),
    [
        (
            "8",
            "add_remove",
            "guess right whether one row is in the data, and perhaps everyone guesses right what",
        ),
        (
            "20",
            "add_remove",
            "perhaps everyone guesses right whether one row is in the data, and what it says about",
        ),
        (
            "20",
            "change_one",
            "With all answers perhaps everyone guesses right what the data says about one row.",
        ),
    ],
)
def test_where_everyone_may_guess_right_that_is_said_as_it_is(
    epsilon: str, neighbouring: str, words: str, browser: Client
) -> None:
    said = now(browser, epsilon_limit=epsilon, epsilon_per_query="1", neighbouring=neighbouring)
    assert words in said
    assert "possibly all" not in said


@pytest.mark.parametrize(
    ("unit", "size", "whom"),
    [
        ("", "", "one row is"),
        ("row", "1", "one row is"),
        ("row", "3", "any 3 rows together are"),
        ("person", "1", "one person is"),
        ("person", "4", "any 4 people together are"),
    ],
)
def test_it_is_said_of_whom_it_holds(unit: str, size: str, whom: str, browser: Client) -> None:
    """L20: of a person only where a column names people: with several rows they have less."""
    typed = {"epsilon_limit": "3", "unit": unit, "group_size": size}
    assert f"guess right whether {whom} in the data" in now(browser, **typed)
    without = now(browser, **typed, neighbouring="change_one")
    assert f"what the data says about {whom.rpartition(' ')[0]}." in without
    everyone = now(browser, **(typed | {"epsilon_limit": "20"}))
    assert f"perhaps everyone guesses right whether {whom} in the data" in everyone


@pytest.mark.parametrize(("epsilon", "said"), [("5", "more than that"), ("0.01", "less than that")])
def test_the_harm_suggests_a_range(browser: Client, epsilon: str, said: str) -> None:
    answer = now(browser, epsilon_limit=epsilon, harm="danger")
    assert "begin with ε 0.1 to 0.3" in answer
    assert said in answer
    assert "whether this data should be asked about at all" in answer


def test_ranges_of_greater_harm_are_lower_and_meet() -> None:
    for milder, worse in pairwise(HARMS):
        assert worse.high_nano <= milder.low_nano
        assert worse.low_nano < worse.high_nano
    assert "lies within" in place_of(2 * NANO, HARMS[1])


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({}, "Type a limit on ε"),
        ({"epsilon_limit": ""}, "Type a limit on ε"),
        ({"epsilon_limit": "0"}, "above zero"),
        ({"epsilon_limit": "1", "mode": "zcdp"}, "Give a δ"),
        ({"epsilon_limit": "1", "group_size": "0"}, "greater than or equal to 1"),
        ({"epsilon_limit": "1", "harm": "<b>"}, "Select a valid choice"),
        ({"epsilon_limit": "1", "epsilon_per_query": "2"}, "Not one question of"),
    ],
)
def test_what_cannot_be_read_yet_is_said(browser: Client, typed: dict[str, str], said: str) -> None:
    assert said in now(browser, **typed)


def test_the_page_works_without_a_script_and_names_its_sources(
    browser: Client, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(12):
        page = browser.get(reverse("datasets:choosing"), {"epsilon_limit": "1"}).content.decode()
    assert "With ε&nbsp;1 for all answers together" in " ".join(page.split())
    assert "cannot be compared with each other" in page
    for each in DEPLOYMENTS:
        assert str(each.who) in page
        assert each.source in page


def test_the_registration_form_has_the_help_beside_its_limit(
    browser: Client, upload: Upload
) -> None:
    page = browser.get(reverse("datasets:register", args=[upload.pk])).content.decode()
    assert "What harm could come to a person" in page
    assert reverse("datasets:choosing_now") in page


def test_what_is_declared_of_the_unit_is_sent_with_the_amounts(
    browser: Client, upload: Upload
) -> None:
    """L20: and asked again when it changes, in a part of the form above."""
    page = browser.get(reverse("datasets:register", args=[upload.pk])).content.decode()
    box = page.partition('id="choosing-now"')[2].partition(">")[0]
    for name in ("unit", "neighbouring", "group_size", "max_rows_per_unit"):
        assert f"[name='{name}']" in box
        assert f'name="{name}"' in page.partition('id="about-fields"')[2].partition("</details>")[0]
    assert "from:#about-fields" in box
