"""A refused price is no dead end: what is said of it is true, and what to do about it is there.

For one question, for several at once and for a set of tables.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.services import allocate, freeze_tenant
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import Rules
from dpgov.datasets.services import change_policy, set_needs_allocation
from dpgov.datasets.services.pausing import pause_questions
from dpgov.privacy.accounting.decimals import NANO, as_text
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.tenants.models import Membership, Project, ProjectMember
from tests.integration.queries.asking.approving import needs_approval
from tests.integration.queries.asking.test_batches import COUNT, MEAN
from tests.integration.queries.conftest import Filled, lower_limit
from tests.integration.queries.web.test_batch_page import form_of
from tests.integration.queries.web.test_quote_page import QUOTE, text_of

BATCH, TABLES = "/datasets/visits/batch/", "/datasets/visits/tables/"
REQUEST = "/datasets/visits/request/?about="
NOTHING = "Nothing fits any more."


def tables() -> dict[str, Any]:
    used = {"column-2-use": "on", "column-3-use": "on"}
    return {"tables": "2", "by": "epsilon", "epsilon": "1", "key": "page-1", **used}


TOGETHER: dict[str, tuple[str, Callable[[], dict[str, Any]]]] = {
    "batch": (BATCH, lambda: form_of(COUNT, MEAN)),
    "tables": (TABLES, tables),
}


@pytest.mark.parametrize("page", TOGETHER)
def test_several_questions_over_the_limit_lead_to_an_owner(
    page: str, browser: Client, dataset: Dataset
) -> None:
    lower_limit(dataset, NANO // 2)
    path, form = TOGETHER[page]
    shown = browser.post(path, form()).content.decode()
    assert f'href="{REQUEST}limit&epsilon=1"' in shown.replace("&amp;", "&")
    assert "Ask an owner for more" in shown
    assert 'name="fill_epsilon" value="0.5"' in shown


@pytest.mark.parametrize("page", TOGETHER)
def test_several_questions_that_lack_a_permit_lead_to_one_for_the_dearest(
    page: str, browser: Client, dataset: Dataset
) -> None:
    """A permit is for each question; an approval is of one, and is not offered for several."""
    needs_approval(dataset, NANO // 10)
    path, form = TOGETHER[page]
    answer = browser.post(path, form())
    shown = answer.content.decode().replace("&amp;", "&")
    dearest = max(one.cost_nano for one in answer.context["offer"].quote.questions)
    assert (dearest < NANO) is (page == "batch")
    assert "Needs approval" in shown
    assert f'href="{REQUEST}permit&epsilon={as_text(dearest)}"' in shown
    assert "Ask for approval" not in shown


def paused(dataset: Dataset, owner: Membership, analyst: Membership) -> None:
    pause_questions(dataset=dataset, user=owner.user, reason="looked at")


def frozen(dataset: Dataset, owner: Membership, analyst: Membership) -> None:
    freeze_tenant(tenant_id=owner.tenant_id, reason="restored", actor=OPERATOR)


def other_statistics(dataset: Dataset, owner: Membership, analyst: Membership) -> None:
    rules = Rules(dataset.per_query_limit_nano, statistics=(StatisticKind.SUM.value,))
    change_policy(dataset=dataset, rules=rules, user=owner.user)


def only_ready_made(dataset: Dataset, owner: Membership, analyst: Membership) -> None:
    rules = Rules(dataset.per_query_limit_nano, only_ready_made=True)
    change_policy(dataset=dataset, rules=rules, user=owner.user)


def without_allocation(dataset: Dataset, owner: Membership, analyst: Membership) -> None:
    set_needs_allocation(dataset=dataset, needed=True, user=owner.user)


def several_allocations(dataset: Dataset, owner: Membership, analyst: Membership) -> None:
    for name in ("Ageing", "Work"):
        project = Project.objects.create(tenant=owner.tenant, name=name)
        ProjectMember.objects.create(project=project, user=analyst.user, tenant=owner.tenant)
        allocate(
            dataset_budget=dataset.budget,
            holder=project,
            limit_nano=NANO,
            actor=OPERATOR,
            reason="study",
        )


CASES = {
    paused: "are paused by its owners",
    frozen: "This dataset is frozen",
    other_statistics: "You may ask for:",
    only_ready_made: "Only ready-made questions may be asked",
    without_allocation: "need an allocation",
    several_allocations: "Choose what to charge",
}


@pytest.mark.parametrize("closed", CASES, ids=lambda case: case.__name__)
def test_nothing_fits_is_said_only_where_the_budget_is_too_small(
    closed: Callable[..., None], browser: Client, dataset: Dataset, counting: Filled,
    owner: Membership, analyst: Membership,
) -> None:  # fmt: skip
    closed(dataset, owner, analyst)
    answer = browser.post(QUOTE, counting.posted())
    assert CASES[closed] in text_of(answer.content)
    assert NOTHING not in text_of(answer.content)
    to_ready_made = 'href="/datasets/visits/ready-made/"' in answer.content.decode()
    assert to_ready_made is (closed is only_ready_made)


def test_an_empty_budget_says_that_nothing_fits_any_more(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    lower_limit(dataset, 1)
    said = text_of(browser.post(QUOTE, counting.posted()).content)
    assert NOTHING in said
    assert "Ask an owner for more" in said
