"""Surveys for tests, made by the services that pages use."""

from collections.abc import Callable
from datetime import date
from typing import Any

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve
from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget
from dpgov.budgets.services.shared_budgets import open_shared_budget
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.surveys.models import Survey
from dpgov.surveys.services import (
    SurveyDraft,
    make_survey,
    make_tokens,
    open_alone,
    open_as_agreed,
    request_opening,
)
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.integration.access.world import World

LATER = date(2999, 12, 31)
QUESTION = "Did you ever copy in an exam?"


def drafted(owner: Membership, **more: Any) -> Survey:
    """A draft: yes or no at ε 1, by token, with a budget of its own."""
    typed: dict[str, Any] = {
        "question": QUESTION,
        "answers": ["Yes", "No"],
        "epsilon_nano": NANO,
        "expected": 200,
        "closes_on": LATER,
    }
    return make_survey(membership=owner, asked=SurveyDraft(**typed | more))


def draft_of(world: World) -> dict[str, Any]:
    """A survey of the owner that is not open yet, as a part of its address."""
    return {"survey_id": drafted(world.people["owner"]).pk}


def opened(owner: Membership, **more: Any) -> Survey:
    """The same, open."""
    return open_alone(membership=owner, survey=drafted(owner, **more))


def tokens(owner: Membership, survey: Survey, number: int) -> list[str]:
    """New tokens of it."""
    return make_tokens(membership=owner, survey=survey, number=number)


def shared(
    owner: Membership,
    limit_nano: int = 3 * NANO,
    currency: Currency = PURE,
    name: str = "Students of Harbour",
) -> Budget:
    """A shared budget of the owner's organisation."""
    return open_shared_budget(
        tenant=owner.tenant,
        name=name,
        limit_nano=limit_nano,
        actor=OPERATOR,
        currency=currency,
    )


def asked_for(owner: Membership, survey: Survey) -> ChangeRequest:
    """A request to open it."""
    with acting_for(owner.tenant_id):
        return request_opening(membership=owner, survey=survey, reason="the yearly survey")


def agreed(officer: Membership, request: ChangeRequest) -> ChangeRequest:
    """The request as an officer decided it."""
    with acting_for(officer.tenant_id):
        return approve(
            request_id=request.pk, decider=officer, reason="fits", carry_out=open_as_agreed
        ).request


def typed() -> dict[str, str]:
    """What an owner types on the page of a new one."""
    return {
        "question": QUESTION,
        "answers": "Yes\nNo",
        "epsilon": "1.1",
        "expected": "200",
        "closes_on": LATER.isoformat(),
        "shared_budget": "",
        "by_token": "yes",
    }


def sent() -> dict[str, Any]:
    """The same as a program sends it."""
    return {
        "question": QUESTION,
        "answers": ["Yes", "No"],
        "epsilon": 1.1,
        "expected": 500,
        "closes_on": LATER.isoformat(),
    }


def _as_it_is(_world: World) -> dict[str, Any]:
    return {}


Way = tuple[Action, Callable[[], dict[str, Any]], Callable[[World], dict[str, Any]]]
DOORS: dict[str, Way] = {
    "surveys:new": (Action.SURVEY_MADE, typed, _as_it_is),
    "surveys:open": (Action.SURVEY_OPENED, dict, draft_of),
    "surveys:close": (Action.SURVEY_CLOSED, dict, _as_it_is),
    "surveys:tokens": (Action.SURVEY_TOKENS_MADE, lambda: {"number": "3"}, _as_it_is),
    "surveys:letters": (
        Action.SURVEY_TOKENS_MADE,
        lambda: {"addresses": "one@example.org"},
        _as_it_is,
    ),
    "v1:survey-new": (Action.SURVEY_MADE, sent, _as_it_is),
    "v1:survey-open": (Action.SURVEY_OPENED, dict, draft_of),
    "v1:survey-close": (Action.SURVEY_CLOSED, dict, _as_it_is),
    "v1:survey-tokens": (Action.SURVEY_TOKENS_MADE, lambda: {"number": 3}, _as_it_is),
}
"""Each door that changes something: what the log says then, what is sent, what has to be there."""
