"""The live price: what the ask page says before anything is spent."""

import html
import re
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.test import Client

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget, RateLimit
from dpgov.budgets.services import allocate, set_rate_limit
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import Rules
from dpgov.datasets.services import change_policy
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership, User
from tests.integration.budgets.shared.sharing import charge, dataset_budget, fresh, shared_budget
from tests.integration.queries.conftest import Filled, lower_limit

QUOTE = "/datasets/visits/quote/"
FIFTH = NANO // 5
Unchanged = Callable[[], AbstractContextManager[None]]


def text_of(content: bytes) -> str:
    """What a person reads of a page."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", content.decode())))


def without_tokens(content: bytes) -> str:
    """A page without what differs at every request."""
    return re.sub(r'nonce="[^"]*"|[\w-]{20,}', "", content.decode())


def test_the_price_is_named_with_its_split_and_what_remains(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    counting.add("statistic", kind="sum", column="hours")
    with unchanged():
        said = text_of(browser.post(QUOTE, counting.posted()).content)
    assert "Cost ? ε 0.5" in said
    assert "Remaining now ? ε 10" in said
    assert "Remaining after ε 9.5" in said
    assert re.search(r"Count of rows ε 0\.25 ± \d", said)
    assert re.search(r"Sum of hours ε 0\.25 ± \d", said)
    assert "Ask for ε 0.5" in said


def test_the_error_of_a_mean_follows_the_readers_own_guess(
    browser: Client, dataset: Dataset
) -> None:
    mean = Filled().add("statistic", kind="mean", column="age")
    without = text_of(browser.post(QUOTE, mean.posted()).content)
    assert "enter an expected row count" in without
    few = text_of(browser.post(QUOTE, mean.posted(assumed_rows="100")).content)
    many = text_of(browser.post(QUOTE, mean.posted(assumed_rows="100000")).content)
    errors = [re.search(r"Mean of age ε 0\.5 ± ([\d.]+)", said) for said in (few, many)]
    assert errors[0] is not None
    assert errors[1] is not None
    assert float(errors[0][1]) > 10 * float(errors[1][1])


def test_the_number_of_groups_is_said(browser: Client, dataset: Dataset, counting: Filled) -> None:
    counting.add("group", column="education", which="all")
    said = text_of(browser.post(QUOTE, counting.posted()).content)
    assert "Groups in the answer 4" in said


def _by_allocation(budget: Budget, holder: User) -> None:
    allocate(dataset_budget=budget, holder=holder, limit_nano=FIFTH, actor=OPERATOR, reason="test")


def _by_rate(budget: Budget, _: User) -> None:
    week = RateLimit.Period.WEEK
    set_rate_limit(budget=budget, period=week, limit_nano=FIFTH, actor=OPERATOR, reason="test")


def _by_shared_budget(budget: Budget, _: User) -> None:
    other = dataset_budget(budget.tenant, "Other")
    shared = shared_budget(budget.tenant, "The same people", budget, other)
    charge(other, fresh(shared).remaining_nano - FIFTH)


@pytest.mark.parametrize("less", [_by_allocation, _by_rate, _by_shared_budget])
def test_a_new_question_begins_at_what_fits_under_all_limits(
    browser: Client, dataset: Dataset, analyst: Membership, less: Callable[[Budget, User], None]
) -> None:
    """L16: whatever has less left than the usual price takes, nobody begins with a refusal."""
    less(dataset.budget, analyst.user)
    page = browser.get("/datasets/visits/ask/")
    assert page.context["form"].data["epsilon"] == "0.2"
    assert page.context["offer"].quote.refusal is None
    assert "Ask for ε 0.2" in text_of(page.content)


def test_a_new_question_begins_at_the_usual_price_where_nothing_is_left(
    browser: Client, dataset: Dataset
) -> None:
    """L16: and says what is lacking."""
    charge(dataset.budget, dataset.budget.limit_nano)
    page = browser.get("/datasets/visits/ask/")
    assert page.context["form"].data["epsilon"] == "0.5"
    assert page.context["offer"].quote.refusal is not None


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (Rules(2 * NANO, approval_above_nano=NANO // 10), "ε 0.1: more takes a permit of the"),
        (Rules(NANO // 10), "ε 0.1, the most that one question may."),
        (Rules(2 * NANO, least_error=20), ": the owner wants counts to be less exact than"),
    ],
)
def test_where_the_owner_s_rules_bind_no_budget_is_called_the_tightest(
    browser: Client, dataset: Dataset, analyst: Membership, owner: Membership, counting: Filled,
    rules: Rules, words: str,
) -> None:  # fmt: skip
    _by_allocation(dataset.budget, analyst.user)
    change_policy(dataset=dataset, rules=rules, user=owner.user)
    page = browser.post(QUOTE, counting.posted(epsilon="0.05"))
    said = text_of(page.content)
    assert "This question has to fit under each limit that it touches. The largest" in said
    assert words in said
    assert "The tightest is" not in said
    assert not re.search(r">\s*binds\s*<", page.content.decode())


@pytest.mark.parametrize(("low", "is_said"), [("200", True), ("20", False)])
def test_a_filter_that_no_row_can_pass_is_named_before_it_is_paid_for(
    browser: Client, dataset: Dataset, counting: Filled, low: str, is_said: bool
) -> None:
    counting.add("filter", column="age", op="between", value=low, upper="300")
    said = text_of(browser.post(QUOTE, counting.posted()).content)
    sentence = "No row can have “age is between 200 and 300”: the declared bounds and steps say so."
    assert (sentence in said) is is_said
    assert "Ask for ε 0.5" in said


def test_more_than_one_question_may_cost_is_refused_with_what_fits(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    counting.epsilon = "3"
    with unchanged():
        page = browser.post(QUOTE, counting.posted()).content.decode()
    assert "One question on this dataset may cost at most ε 2." in page
    assert 'name="fill_epsilon" value="2"' in page
    assert 'name="price"' not in page


def test_more_than_remains_is_refused_with_what_fits(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    lower_limit(dataset, 3 * NANO // 10)
    with unchanged():
        page = browser.post(QUOTE, counting.posted()).content.decode()
    assert "Only ε 0.3 remains of the dataset&#x27;s budget." in page
    assert 'name="fill_epsilon" value="0.3"' in page


def test_the_fitting_amount_is_filled_in_without_scripts(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    counting.epsilon = "3"
    page = browser.post("/datasets/visits/ask/", counting.posted(fill_epsilon="2")).content.decode()
    assert 'name="epsilon" value="2"' in page
    assert "Ask for ε 2" in page


def test_the_plan_is_shown_as_it_will_be_sent(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    counting.add("filter", column="age", op=">=", value="30")
    said = text_of(browser.post(QUOTE, counting.posted()).content)
    assert '{ "column": "age", "op": ">=", "value": 30 }' in said


@pytest.mark.parametrize("role", ["owner", "officer", "admin"])
def test_only_who_may_ask_sees_the_form_and_prices(
    role: str,
    request: pytest.FixtureRequest,
    client_for: Callable[[Membership], Client],
    dataset: Dataset,
    counting: Filled,
) -> None:
    """H1: the ask pages belong to analysts."""
    client = client_for(request.getfixturevalue(role))
    assert client.get("/datasets/visits/ask/").status_code == 403
    assert client.post("/datasets/visits/ask/", counting.posted(price="0.5")).status_code == 403
    assert client.post(QUOTE, counting.posted()).status_code == 403


def test_a_foreign_dataset_looks_like_a_missing_one(
    browser: Client, foreign_dataset: Dataset, dataset: Dataset, counting: Filled
) -> None:
    """H1, H8: same status and body."""
    foreign = browser.get("/datasets/foreign/ask/")
    missing = browser.get("/datasets/nothing/ask/")
    assert foreign.status_code == missing.status_code == 404
    posted = browser.post("/datasets/foreign/quote/", counting.posted())
    assert posted.status_code == 404
    assert without_tokens(foreign.content) == without_tokens(missing.content)
