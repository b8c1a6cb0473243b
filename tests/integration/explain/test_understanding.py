"""What ε means: live from a dataset's own promise, the same for everybody, never from its data."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Dataset
from dpgov.explain.averaging import TRUTH, replay
from dpgov.explain.beliefs import stage
from dpgov.explain.densities import sides
from dpgov.explain.promise import Promise, invented_promise, promise_of
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.meaning.odds import Frequency, best_guess, frequency_of
from dpgov.privacy.plan.schema import Neighbouring
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.declared import declare_otherwise
from tests.integration.dashboards.reading import figure, page, trace

ClientFor = Callable[[Membership], Client]


@pytest.fixture
def path(dataset: Dataset) -> str:
    return reverse("explain:understanding", args=[dataset.slug])


def words(html: str) -> str:
    return " ".join(html.split())


def test_the_page_says_what_the_limit_in_force_means(
    path: str, dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    """F13: ε 10 in all: of 100,000 at most 99,996 right about presence; the odds times e^10."""
    html = words(page(client_for(analyst), path))
    assert "99,996 of 100,000" in html
    assert "22,027" in html
    assert "Nothing has been asked yet" in html
    low, high = (
        trace(html, "beliefs", name) for name in ("", "after every answer that the budget allows")
    )
    assert all(one <= other for one, other in zip(low["y"], high["y"], strict=True))


def test_odds_and_beliefs_say_which_of_the_two_guesses_they_are_of(
    path: str, dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    """What the data says about somebody is told by two steps: e^20, where the column has e^10."""
    client = client_for(analyst)
    odds, beliefs = "Odds of who is in the data, times at most", "can become of who is in the data"
    come_and_go = words(page(client, path))
    assert odds in come_and_go
    assert beliefs in come_and_go
    declare_otherwise(Dataset.objects.filter(pk=dataset.pk), neighbouring=Neighbouring.CHANGE_ONE)
    changed = words(page(client, path))
    assert "Odds times at most" in changed
    assert odds not in changed
    assert beliefs not in changed


def test_averaging_tells_about_a_row_where_the_row_is_the_unit(
    path: str, dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    """L20: somebody with several rows has less; and whether a row is there is not what it says."""
    client, guesses = client_for(analyst), "guesses may be right about"
    assert f"{guesses} whether one row is in the data." in words(page(client, path))
    declare_otherwise(Dataset.objects.filter(pk=dataset.pk), group_size=3)
    come_and_go = words(page(client, path))
    assert f"{guesses} whether any 3 rows together are in the data." in come_and_go
    assert "Rows together" in come_and_go
    assert "one person" not in come_and_go.partition('id="averaging-title"')[2].partition("<dl")[0]
    declare_otherwise(Dataset.objects.filter(pk=dataset.pk), neighbouring=Neighbouring.CHANGE_ONE)
    changed = words(page(client, path))
    assert f"{guesses} what the data says about any 3 rows together." in changed


def test_what_is_spent_so_far_moves_less_than_what_may_be(
    path: str, in_use: list[Query], analyst: Membership, client_for: ClientFor
) -> None:
    html = words(page(client_for(analyst), path))
    assert "All answers so far" in html
    # 0.5 + 0.25 + 1 + 0.125, reserved and spent alike
    assert "ε&nbsp;1.875" in html
    expected = frequency_of(best_guess(1_875_000_000, invented_promise(NANO).currency))
    assert f"{expected.count} of {expected.of}" in html
    so_far = trace(html, "beliefs", "after the answers so far")
    at_last = trace(html, "beliefs", "after every answer that the budget allows")
    assert all(a <= b for a, b in zip(so_far["y"], at_last["y"], strict=True))


def test_an_analyst_and_the_owner_see_the_same(
    path: str, in_use: list[Query], owner: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    """B8: no split of spent and reserved, and nothing about who asked."""
    seen = [page(client_for(person), path) for person in (owner, analyst)]
    tables = [html.split('id="odds-title"')[1].split("</main>")[0] for html in seen]
    assert tables[0] == tables[1]


def test_the_page_needs_few_statements(
    path: str,
    in_use: list[Query],
    analyst: Membership,
    client_for: ClientFor,
    django_assert_max_num_queries: Any,
) -> None:
    client = client_for(analyst)
    with django_assert_max_num_queries(12):
        page(client, path)
    for name in ("understanding_general", "glossary"):
        with django_assert_max_num_queries(12):
            page(client, reverse(f"explain:{name}"))


@pytest.mark.parametrize("statistic", ["count", "sum", "mean"])
def test_each_statistic_shows_its_two_noises_and_a_table(
    statistic: str, path: str, analyst: Membership, client_for: ClientFor
) -> None:
    html = page(client_for(analyst), f"{path}?statistic={statistic}&column=age&epsilon=0.5")
    without, within = (trace(html, "noises", f"{name} them") for name in ("without", "with"))
    assert sum(without["y"]) == pytest.approx(100, abs=0.2)
    assert sum(within["y"]) == pytest.approx(100, abs=0.2)
    assert html.count('<tr><th scope="row" class="number">') > 20


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("0", "above zero"),
        ("nan", "plain decimal"),
        ("1001", "at most 1000"),
        ("0.000000001", "ε must be at least"),
        ("<script>alert(1)</script>", "plain decimal"),
    ],
)
def test_an_epsilon_that_cannot_be_is_said_at_its_field(
    typed: str, said: str, path: str, analyst: Membership, client_for: ClientFor
) -> None:
    response = client_for(analyst).get(
        path, {"epsilon": typed, "statistic": "sum", "column": "age"}
    )
    html = response.content.decode()
    if typed != "0.000000001":
        assert said in html
        assert 'id="id_epsilon_error"' in html
        assert response.status_code == 422
    assert "<script>alert" not in html


def test_a_column_that_is_not_declared_is_refused_at_its_field(
    path: str, analyst: Membership, client_for: ClientFor
) -> None:
    """B8: nothing but declared columns of numbers can be chosen."""
    response = client_for(analyst).get(path, {"statistic": "sum", "column": "secret"})
    assert response.status_code == 422
    html = response.content.decode()
    assert 'id="id_column_error"' in html
    assert "noises-figure" not in html


def test_the_attack_on_invented_numbers_converges_unless_the_budget_stops_it() -> None:
    attack = replay(invented_promise(NANO), NANO // 10)
    assert attack.allowed == 10
    assert attack.is_stopped
    assert abs(attack.last.without_budget - TRUTH) < 3
    assert attack.last.guess_without.is_certain
    assert attack.last.answered == 10
    assert attack.last.guess_with == frequency_of(best_guess(NANO, invented_promise(NANO).currency))
    assert attack.steps[0].without_budget == attack.steps[0].with_budget
    assert next(s.asked for s in attack.steps if s.is_refused) == 11


def test_the_attack_looks_the_same_every_time_and_is_marked_as_invented(
    path: str, analyst: Membership, owner: Membership, client_for: ClientFor
) -> None:
    pages = [page(client_for(person), path) for person in (analyst, owner)]
    drawn = [figure(html, "averaging")["data"] for html in pages]
    assert drawn[0] == drawn[1]
    assert "Invented numbers" in pages[0]


def test_a_question_that_costs_more_than_the_budget_is_never_answered() -> None:
    attack = replay(invented_promise(NANO), 5 * NANO)
    assert attack.allowed == 0
    assert attack.steps[0].with_budget is None
    assert attack.steps[0].guess_with == Frequency(50, 100)


def test_a_tiny_question_is_not_replayed_for_ever() -> None:
    attack = replay(invented_promise(1000 * NANO), 1)
    assert attack.last.asked == 2000
    assert not attack.is_stopped


def test_changing_what_a_row_says_counts_twice_where_rows_come_and_go() -> None:
    """One row goes and another comes: two steps of “add or remove”."""
    found = stage(invented_promise(NANO), "all", NANO)
    assert found.present == frequency_of(Decimal("0.731058578631"))
    assert found.says == frequency_of(best_guess(2 * NANO, invented_promise(NANO).currency))


@pytest.mark.django_db
def test_no_answer_tells_more_than_its_price_allows(dataset: Dataset) -> None:
    """Whatever is asked, the exact guess from one answer stays within what its price promises."""
    promise: Promise = promise_of(dataset)
    for statistic in ("count", "sum", "mean"):
        for nano in (NANO // 100, NANO, 10 * NANO):
            found = sides(promise, statistic=statistic, column="age", epsilon_nano=nano)
            assert found.is_exact
            share = Decimal(found.guess.count) / found.guess.of
            assert share <= Decimal(found.bound.count) / found.bound.of


def test_the_general_page_is_there_before_any_dataset(
    analyst: Membership, client_for: ClientFor
) -> None:
    html = words(page(client_for(analyst), f"{reverse('explain:understanding_general')}?limit=1"))
    assert "74 of 100" in html, "e/(1 + e), rounded up"
    assert "89 of 100" in html, "e²/(1 + e²), rounded up"
    response = client_for(analyst).get(reverse("explain:understanding_general"), {"limit": "x"})
    assert response.status_code == 422
    assert 'id="id_limit_error"' in response.content.decode()
