"""Price against error: out of public numbers, a fixed number of points, in both currencies."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.budgets.services import freeze_tenant
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import Rules
from dpgov.datasets.services import change_policy, pause_questions, set_terms
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.asking.curve import MOST_POINTS, AmountVerdict, Curve, curve_of
from dpgov.queries.asking.policy import policy_for
from dpgov.queries.asking.quote import quote
from dpgov.queries.models import Query
from dpgov.queries.web.forms.curves import shown
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import Filled, lower_limit
from tests.integration.queries.web.test_quote_page import text_of

COUNT = {"statistic": "count"}
MEDIAN = {"statistic": "median", "column": "age"}
MEAN = {"statistic": "mean", "column": "age"}
CURVE = "/datasets/visits/quote/curve/"


def curve(dataset: Dataset, person: Membership, *, rows: int | None = None, **plan: Any) -> Curve:
    raw = {"statistics": [COUNT], "epsilon": 1} | plan
    priced = quote(user=person.user, dataset=dataset, raw_plan=raw, assumed_rows=rows)
    found = curve_of(priced, policy_for(dataset, person.user), assumed_rows=rows)
    assert found is not None
    return found


def test_more_money_never_buys_a_larger_error(dataset: Dataset, analyst: Membership) -> None:
    found = curve(dataset, analyst)
    assert 5 <= len(found.points) <= MOST_POINTS
    assert found.points[-1].nano == dataset.per_query_limit_nano
    for cheap, dear in pairwise(found.points):
        assert cheap.nano < dear.nano
        assert (cheap.errors[0] or 0) >= (dear.errors[0] or 0)


def test_each_point_is_what_a_quote_of_that_amount_says(
    dataset: Dataset, analyst: Membership
) -> None:
    found = curve(dataset, analyst, rows=500, statistics=[MEAN])
    point = found.points[-2]
    raw = {"statistics": [MEAN], "epsilon": point.nano / 10**9}
    priced = quote(user=analyst.user, dataset=dataset, raw_plan=raw, assumed_rows=500)
    stated = priced.description["statistics"][0]["accuracy"][1]
    assert (stated["confidence_level"], stated["value"]) == (0.95, point.errors[0])


def test_of_groups_the_error_is_told_by_size_and_never_as_one_average(
    dataset: Dataset, analyst: Membership
) -> None:
    """However many rows are declared or guessed: nobody knows how they fall into groups."""
    found = curve(dataset, analyst, rows=500, statistics=[MEAN], group_by=[{"column": "education"}])
    assert found.sizes
    assert found.sizes == tuple(sorted(found.sizes))
    for point in found.points:
        assert len(point.errors) == len(found.sizes)
    small, *_others, large = (found.points[-1].errors[place] for place in range(len(found.sizes)))
    assert small is not None
    assert large is not None
    assert small > large


@pytest.mark.parametrize("groups", [[], [{"column": "education"}]])
def test_an_error_in_rows_is_one_number_however_large_a_group_is(
    dataset: Dataset, analyst: Membership, groups: list[dict[str, str]]
) -> None:
    found = curve(dataset, analyst, statistics=[MEDIAN], group_by=groups)
    assert (found.in_rows, found.sizes) == (True, ())
    assert all(len(point.errors) == 1 for point in found.points)


def test_what_remains_binds_the_verdicts(dataset: Dataset, analyst: Membership) -> None:
    lower_limit(dataset, 3 * 10**8)
    dataset = Dataset.objects.get(pk=dataset.pk)
    verdicts = {point.nano <= 3 * 10**8: point.verdict for point in curve(dataset, analyst).points}
    assert verdicts == {True: AmountVerdict.FITS, False: AmountVerdict.TOO_MUCH}


def _policy(dataset: Dataset, owner: Membership) -> None:
    set_terms(dataset=dataset, text="For the study alone.", user=owner.user)


def _paused(dataset: Dataset, owner: Membership) -> None:
    pause_questions(dataset=dataset, user=owner.user, reason="a new scale")


def _frozen(dataset: Dataset, _owner: Membership) -> None:
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")


def _not_this_one(dataset: Dataset, owner: Membership) -> None:
    change_policy(dataset=dataset, rules=Rules(2 * NANO, None, ("mean",)), user=owner.user)


def _needs_an_allocation(dataset: Dataset, _owner: Membership) -> None:
    Dataset.objects.filter(pk=dataset.pk).update(needs_allocation=True)


REASONS = [_policy, _paused, _frozen, _not_this_one, _needs_an_allocation]


@pytest.mark.parametrize("refuse", REASONS)
@pytest.mark.parametrize("by_permit", [False, True])
def test_what_is_refused_for_another_reason_than_its_amount_is_not_called_too_much(
    dataset: Dataset,
    owner: Membership,
    analyst: Membership,
    refuse: Callable[[Dataset, Membership], None],
    by_permit: bool,
) -> None:
    """At every price, and before a permit is asked for that would not help."""
    if by_permit and refuse is not _not_this_one:
        rules = Rules(2 * NANO, approval_above_nano=NANO // 10)
        change_policy(dataset=dataset, rules=rules, user=owner.user)
    refuse(dataset, owner)
    found = curve(Dataset.objects.get(pk=dataset.pk), analyst)
    assert {point.verdict for point in found.points} == {AmountVerdict.NOT_NOW}
    assert {row.verdict for row in shown(found, NANO).rows} == {"not now"}


def test_how_many_more_such_questions_fit(dataset: Dataset, analyst: Membership) -> None:
    priced = quote(
        user=analyst.user, dataset=dataset, raw_plan={"statistics": [COUNT], "epsilon": 0.3}
    )
    assert priced.times_that_fit == 33
    dear = quote(user=analyst.user, dataset=dataset, raw_plan={"statistics": [COUNT], "epsilon": 3})
    assert dear.times_that_fit == 0


def test_a_stored_answer_stands_on_the_curve_where_its_error_is(
    dataset: Dataset,
    analyst: Membership,
    ask: Callable[..., Query],
    answer_now: Callable[[], int],
) -> None:
    ask(analyst, epsilon="0.5")
    answer_now()
    found = curve(dataset, analyst)
    (dot,) = found.free
    assert dot.worth_nano == pytest.approx(5 * 10**8, rel=0.15)


def test_the_page_has_the_curve_its_table_and_buttons_that_fill_in_the_amount(
    browser: Client, counting: Filled, dataset: Dataset, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(20):
        page = browser.post(CURVE, counting.posted(), headers={"HX-Request": "true"})
    said = text_of(page.content)
    assert 'id="price-curve-figure"' in page.content.decode()
    assert 'name="fill_epsilon" value="2"' in page.content.decode()
    assert "Use ε 2" in said


def test_without_scripts_the_whole_page_comes_with_the_curve(
    browser: Client, counting: Filled, dataset: Dataset
) -> None:
    page = browser.post(CURVE, counting.posted()).content.decode()
    assert 'id="ask-form"' in page
    assert 'id="price-curve-figure"' in page


def test_an_unfinished_question_has_no_curve_yet(browser: Client, dataset: Dataset) -> None:
    page = browser.post(CURVE, Filled().posted(), headers={"HX-Request": "true"})
    assert "Complete the question to see its curve." in text_of(page.content)


def test_the_api_says_the_same(
    api_for: Callable[[Membership], APIClient], analyst: Membership, dataset: Dataset
) -> None:
    plan = {"statistics": [COUNT], "epsilon": 0.3}
    api = api_for(analyst)
    body = api.post("/api/v1/datasets/visits/quote/curve/", plan, format="json").json()
    assert body["points"][-1]["cost_epsilon"] == 2
    assert body["points"][-1]["verdict"] == "fits"
    price = api.post("/api/v1/datasets/visits/quote/", plan, format="json").json()
    assert (price["times"], price["needs_permit"]) == (33, False)


def test_the_handle_begins_at_the_price_of_the_form(dataset: Dataset, analyst: Membership) -> None:
    found = curve(dataset, analyst)
    place = shown(found, found.points[3].nano).place
    assert place == 3
