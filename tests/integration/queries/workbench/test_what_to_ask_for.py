"""What a refusal proposes to ask an owner for is enough, when it is granted as it was asked for."""

import re
from collections.abc import Callable
from decimal import Decimal
from html import unescape
from uuid import uuid4

import pytest
from django.test import Client

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Allocation
from dpgov.budgets.services import withdraw
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import Rules
from dpgov.datasets.services import change_policy
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO, as_text, parse_epsilon
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.queries.asking.submit import submit
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.projects import add_project_member, create_project
from tests.cast import join
from tests.integration.queries.conftest import Filled
from tests.integration.queries.workbench.test_never_less import ASK, answered, granted, sent
from tests.integration.queries.workbench.test_never_less import owners as owners
from tests.small_dataset import register_small_dataset

Ask = Callable[..., Query]


def _link(browser: Client, counting: Filled, slug: str = "visits", **more: str) -> str:
    page = browser.post(f"/datasets/{slug}/quote/", counting.posted(**more)).text
    found = re.findall(r'href="(/datasets/[^"]*/request/[^"]*)"', page)
    return unescape(next(iter(found), ""))


def test_where_the_allocation_of_a_project_binds_the_price_of_the_question_is_asked_for(
    browser: Client, analyst: Membership, dataset: Dataset, counting: Filled, ask: Ask
) -> None:
    """A question is charged to one allocation: an own one of less would let nothing be asked."""
    project = create_project(tenant=analyst.tenant, name="Ageing", actor=OPERATOR)
    add_project_member(project=project, membership=analyst, actor=OPERATOR)
    other = join(analyst.tenant, Role.ANALYST, "carl")
    add_project_member(project=project, membership=other, actor=OPERATOR)
    granted(project, dataset, NANO)
    ask(other, epsilon=0.9)
    assert _link(browser, counting, epsilon="0.2") == f"{ASK}?about=allocation&epsilon=0.2"
    granted(analyst, dataset, NANO // 5)
    ask(analyst, epsilon=0.2)
    # What was taken under one's own is part of it; and where that has it left, nothing is missing.
    assert _link(browser, counting, epsilon="0.3") == f"{ASK}?about=allocation&epsilon=0.5"
    granted(analyst, dataset, NANO)
    named = str(Allocation.objects.get(project=project).pk)
    assert _link(browser, counting, epsilon="0.3", allocation=named) == ""


def test_what_was_taken_under_a_withdrawn_allocation_is_part_of_what_is_asked_for(
    browser: Client, analyst: Membership, dataset: Dataset, counting: Filled, ask: Ask
) -> None:
    given = granted(analyst, dataset, NANO)
    ask(analyst, epsilon=0.8)
    withdraw(allocation=given, actor=OPERATOR, reason="")
    assert _link(browser, counting) == f"{ASK}?about=allocation&epsilon=1.3"


RHO = Currency(Mode.ZCDP, Decimal("1e-6"))


def _ask_rho(analyst: Membership, of: Dataset, rho: str) -> Query:
    plan = {"statistics": [{"statistic": "count"}], "rho": rho}
    return submit(membership=analyst, dataset=of, raw_plan=plan, idempotency_key=str(uuid4())).query


def test_a_permit_in_rho_that_is_granted_as_asked_for_lets_the_question_pass(
    browser: Client,
    owners: Client,
    analyst: Membership,
    owner: Membership,
    counting: Filled,
) -> None:
    of = register_small_dataset(owner, name="Ages", currency=RHO, limit_nano=5 * NANO)
    rules = Rules(NANO // 10, approval_above_nano=RHO.price_of(NANO // 20))
    change_policy(dataset=of, rules=rules, user=owner.user)
    asked = {"by": "rho", "rho": "0.01", "epsilon": ""}
    link = _link(browser, counting, "ages", **asked)
    assert link == "/datasets/ages/request/?about=permit&epsilon=0.1416"
    request, last = sent(browser, "permit", "0.1416", "ages"), clock.today().isoformat()
    assert answered(owners, request, epsilon_limit="0.1416", last_day=last) == {}
    assert _link(browser, counting, "ages", **asked) == ""
    _ask_rho(analyst, of, "0.01")


@pytest.mark.parametrize("about", ["limit", "allocation"])
def test_what_is_asked_for_in_rho_is_enough(
    browser: Client,
    analyst: Membership,
    owner: Membership,
    counting: Filled,
    about: str,
) -> None:
    """To the billionth, twice a price of which only one fits."""
    of = register_small_dataset(owner, name="Ages", currency=RHO, limit_nano=NANO)
    binding = of.budget if about == "limit" else granted(analyst, of, NANO // 2).budget
    price = binding.limit_nano // 2 + 1
    change_policy(dataset=of, rules=Rules(price), user=owner.user)
    _ask_rho(analyst, of, as_text(price))
    link = _link(browser, counting, "ages", by="rho", rho=as_text(price), epsilon="")
    start = f"/datasets/ages/request/?about={about}&epsilon="
    assert link.startswith(start)
    assert RHO.limit_of(parse_epsilon(link.removeprefix(start))) >= 2 * price
