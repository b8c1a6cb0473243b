"""A new survey, as a draft: what is asked is fixed now, and charged when it opens."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.budgets.models import Budget
from dpgov.language.said import said
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.local.randomiser import (
    FEWEST_ANSWERS,
    MOST_ANSWERS,
    NotASurvey,
    Randomiser,
    for_epsilon,
)
from dpgov.surveys.errors import BadSurvey
from dpgov.surveys.models import Survey, Tally
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of

LONGEST_QUESTION, LONGEST_ANSWER, MOST_EXPECTED = 300, 100, 1_000_000


@dataclass(frozen=True, slots=True)
class SurveyDraft:
    """What an owner typed; `shared_budget` is None for a budget of the survey's own."""

    question: str
    answers: Sequence[str]
    epsilon_nano: int
    expected: int
    closes_on: date
    by_token: bool = True
    shared_budget: Budget | None = None


@transaction.atomic
def make_survey(*, membership: Membership, asked: SurveyDraft) -> Survey:
    """Keep it as a draft; nothing is charged. Raises BadSurvey."""
    answers = [answer.strip() for answer in asked.answers if answer.strip()]
    randomiser = _checked(asked, answers)
    survey = Survey.objects.create(
        tenant=membership.tenant,
        code=secrets.token_hex(16),
        question=asked.question.strip(),
        answers=answers,
        epsilon_nano=asked.epsilon_nano,
        mechanism=randomiser.kind.value,
        kept=randomiser.kept,
        other=randomiser.other,
        expected=asked.expected,
        closes_on=asked.closes_on,
        by_token=asked.by_token,
        shared_budget=asked.shared_budget,
        made_by=membership.user,
    )
    Tally.objects.create(survey=survey, tenant=survey.tenant, counts=[0] * len(answers))
    append(
        tenant_id=survey.tenant_id,
        actor=actor_of(membership.user),
        action=Action.SURVEY_MADE,
        subject=f"survey:{survey.pk}",
        detail=_noted(survey),
    )
    return survey


def _checked(asked: SurveyDraft, answers: list[str]) -> Randomiser:
    question = asked.question.strip()
    if not 0 < len(question) <= LONGEST_QUESTION:
        sentence = said("A question has 1 to {most} characters.", most=LONGEST_QUESTION)
        raise BadSurvey(sentence, "question")
    _refuse_answers(answers)
    if not 1 <= asked.expected <= MOST_EXPECTED:
        raise BadSurvey(said("Expect 1 to {most} answers.", most=MOST_EXPECTED), "expected")
    if asked.closes_on < clock.now().date():
        raise BadSurvey(said("The last day has passed. Choose a later one."), "closes_on")
    try:
        return for_epsilon(len(answers), asked.epsilon_nano)
    except NotASurvey as refusal:
        enough = FEWEST_ANSWERS <= len(answers) <= MOST_ANSWERS
        raise BadSurvey(refusal.args[0], "epsilon" if enough else "answers") from refusal


def _refuse_answers(answers: list[str]) -> None:
    if any(len(answer) > LONGEST_ANSWER for answer in answers):
        sentence = said("An answer has at most {most} characters.", most=LONGEST_ANSWER)
        raise BadSurvey(sentence, "answers")
    if len({answer.casefold() for answer in answers}) != len(answers):
        sentence = said("Two answers are the same. Each stands once in the list.")
        raise BadSurvey(sentence, "answers")


def _noted(survey: Survey) -> dict[str, object]:
    return {
        "name": survey.question,
        "answers": survey.answers,
        "epsilon": as_text(survey.epsilon_nano),
        "true_epsilon": as_text(survey.randomiser.epsilon_nano),
        "mechanism": survey.mechanism,
        "kept": survey.kept,
        "other": survey.other,
        "closes_on": survey.closes_on.isoformat(),
        "by_token": survey.by_token,
        "shared_budget": str(survey.shared_budget_id) if survey.shared_budget_id else None,
    }
