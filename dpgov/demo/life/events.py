"""What happened on which of the 90 days besides questions: each through the service that does it.

Days and hours are those of the past; what waits today is what the last of them left open.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from dpgov.approvals.kinds import carry_out
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve, reject, request_change
from dpgov.audit.services import verify_and_record
from dpgov.budgets.services import agreed
from dpgov.budgets.services.invitations import request_to_join
from dpgov.budgets.services.raising import request_raise
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import own_rules_of
from dpgov.datasets.services import change_policy
from dpgov.datasets.services.held.deciding import SHARE_HELD_DATASET_BUDGET, request_decision
from dpgov.demo import people
from dpgov.demo.census import adult
from dpgov.demo.life.answering import ask, dataset
from dpgov.demo.life.datasets import REGISTER, STAYS, STAYS_AGAIN, SURVEY
from dpgov.demo.life.joint import answer_together
from dpgov.demo.life.survey import answer_it, ask_people
from dpgov.demo.people import Person, membership_of
from dpgov.operation import clock
from dpgov.operation.moving import move_to
from dpgov.privacy.accounting.decimals import NANO, as_text
from dpgov.queries.models import BudgetRequest
from dpgov.queries.selectors import budget_requests_waiting
from dpgov.queries.workbench.budget_requests import (
    ask_for_budget,
    decline_request,
    grant_request,
    pass_on,
)
from dpgov.surveys.models import Survey
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of

Doing = Callable[[], object]
SHARED = "Residents of the five districts"
_A_WHILE = timedelta(minutes=20)
_LEAST_NANO = NANO // 50


def at(day: int, hour: int, minute: int = 0) -> timedelta:
    """So long after the first midnight."""
    return timedelta(days=day, hours=hour, minutes=minute)


def events(password: str) -> tuple[tuple[timedelta, Doing], ...]:
    """Everything in its order; the first two are what is there when the site opens."""
    return (
        (at(0, 7), lambda: people.ensure_people(people.EVERYBODY_OF_THE_PAST, password)),
        (OPENS, _register_adults),
        (at(7, 10), STAYS.register),
        (at(8, 9), _set_a_policy),
        (at(18, 9, 30), SURVEY.register),
        (at(19, 11), REGISTER.register),
        (at(20, 9), _share_a_budget),
        (at(21, 14), _ask_to_invite),
        (at(22, 10), _let_another_organisation_in),
        (at(23, 9), lambda: _approve(people.STRANGER_OFFICER, "The same residents: one limit.")),
        (at(30, 15), lambda: _ask(people.BELA, STAYS_NAME, "allocation", 3, "The ward report.")),
        (at(31, 9), lambda: _answer(_grant)),
        (at(38, 16), lambda: _ask(people.CHEN, adult.NAME, "permit", 3, "One exact figure.")),
        (at(39, 10), lambda: _answer(_decline)),
        (at(52, 11), lambda: _ask(people.DORA, adult.NAME, "limit", 14, "Two more quarters.")),
        (at(53, 9), lambda: _answer(_pass_on)),
        (at(55, 13), lambda: _approve(people.OFFICER, "Public extract; agreed by the board.")),
        *((at(day, 14, 40), _ask_too_much(day)) for day in (33, 47, 48, 66)),
        (at(70, 10), STAYS_AGAIN.register),
        (at(72, 16), _use_up),
        (at(74, 9), _ask_for_more_survey),
        (at(76, 15), _refuse_more_survey),
        (at(78, 9), _open_a_survey),
        *((at(day, 18, 20), _answer_the_survey(day)) for day in (79, 80, 82, 85)),
        (at(81, 8), lambda: answer_together(password)),
        *((at(day, 16, 50), _verify_the_log) for day in (29, 59, 85)),
        (at(86, 11), _ask_what_becomes_of_the_held),
        (at(88, 16), lambda: _ask(people.CHEN, STAYS_NAME, "limit", 20, "The winter report.")),
    )


OPENS = at(0, 7, 30)
STAYS_NAME = STAYS.declaration.name
_SURVEY_NAME = SURVEY.declaration.name


def _ask_too_much(day: int) -> Doing:
    """More than one question may cost here."""
    plan = {"statistics": [{"statistic": "mean", "column": "cost"}], "epsilon": 1.5}
    return lambda: ask(people.CHEN, STAYS_NAME, plan, f"too-much-{day}")


def _use_up() -> None:
    """The rest of the survey's budget, to the last billionth."""
    owner = membership_of(people.OWNER)
    with acting_for(owner.tenant_id):
        rest = dataset(owner, _SURVEY_NAME).budget.remaining_nano
    if rest:
        plan = {"statistics": [{"statistic": "count"}], "epsilon": as_text(rest)}
        ask(people.DORA, _SURVEY_NAME, plan, "the-rest")


def _register_adults() -> object:
    owner = membership_of(people.OWNER)
    with acting_for(owner.tenant_id):
        return adult.ensure_adult(owner)


def _set_a_policy() -> None:
    """No question may be so cheap that it is asked again and again."""
    owner = membership_of(people.OWNER)
    with acting_for(owner.tenant_id):
        stays = dataset(owner, STAYS_NAME)
        rules = replace(own_rules_of(stays), least_nano=_LEAST_NANO)
        change_policy(dataset=stays, rules=rules, user=owner.user)


def _share_a_budget() -> None:
    owner = membership_of(people.OWNER)
    with acting_for(owner.tenant_id):
        actor = actor_of(owner.user)
        shared = open_shared_budget(
            tenant=owner.tenant, name=SHARED, limit_nano=6 * NANO, actor=actor
        )
        join_shared_budget(
            shared_budget=shared, dataset_budget=dataset(owner, _SURVEY_NAME).budget, actor=actor
        )


def _ask_to_invite() -> None:
    owner = membership_of(people.OWNER)
    with acting_for(owner.tenant_id):
        budget = dataset(owner, _SURVEY_NAME).budget.shared_budgets.get().shared_budget
        request_change(
            membership=owner,
            kind=agreed.INVITE_TO_SHARE,
            subject=f"budget:{budget.pk}",
            payload={"shared_budget": str(budget.pk), "name": budget.label},
            reason="The vaccination register is about the same residents.",
        )


def _let_another_organisation_in() -> None:
    """In one go: the code is told once, and kept by nobody."""
    decision = _approve(people.OFFICER, "The same residents, in another organisation's register.")
    move_to(clock.now() + _A_WHILE)
    owner = membership_of(people.STRANGER)
    with acting_for(owner.tenant_id):
        request_to_join(
            membership=owner,
            code=decision,
            dataset_budgets=[dataset(owner, REGISTER.declaration.name).budget],
            reason="Asked by the Harbour Statistics Office.",
        )


def _approve(officer: Person, reason: str) -> str:
    """The only request that waits in this organisation; what is shown once."""
    decider = membership_of(officer)
    with acting_for(decider.tenant_id):
        waiting = _waiting(decider)
        return approve(
            request_id=waiting.pk, decider=decider, reason=reason, carry_out=carry_out
        ).shown_once


def _waiting(decider: Membership) -> ChangeRequest:
    return ChangeRequest.objects.get(tenant=decider.tenant, state=ChangeRequest.State.WAITING)


def _ask(person: Person, name: str, about: str, epsilon: int, reason: str) -> None:
    analyst = membership_of(person)
    with acting_for(analyst.tenant_id):
        ask_for_budget(
            membership=analyst,
            dataset=dataset(analyst, name),
            about=about,
            epsilon_nano=epsilon * NANO,
            reason=reason,
        )


def _answer(answer: Callable[[Membership, BudgetRequest], object]) -> None:
    """The owner answers the only request that waits."""
    owner = membership_of(people.OWNER)
    with acting_for(owner.tenant_id):
        answer(owner, budget_requests_waiting(owner).get())


def _grant(owner: Membership, asked: BudgetRequest) -> None:
    grant_request(
        membership=owner,
        request_id=asked.pk,
        limit_nano=5 * NANO // 2,
        answer="A little less: the summer is still to come.",
    )


def _decline(owner: Membership, asked: BudgetRequest) -> None:
    answer = "No single question needs more than ε 2 here. Ask for a group instead."
    decline_request(membership=owner, request_id=asked.pk, answer=answer)


def _pass_on(owner: Membership, asked: BudgetRequest) -> None:
    pass_on(
        membership=owner,
        request_id=asked.pk,
        limit_nano=asked.epsilon_nano,
        answer="I agree: this extract has been public since 1996.",
    )


def _ask_for_more_survey() -> None:
    owner = membership_of(people.OWNER)
    with acting_for(owner.tenant_id):
        request_raise(
            membership=owner,
            budget=dataset(owner, _SURVEY_NAME).budget,
            limit_nano=8 * NANO,
            reason="The budget is used up, and the yearbook wants two more tables.",
        )


def _refuse_more_survey() -> None:
    officer = membership_of(people.OFFICER)
    with acting_for(officer.tenant_id):
        reject(
            request_id=_waiting(officer).pk,
            decider=officer,
            reason="Who took part was told ε 4. The yearbook can use what was released.",
        )


def _verify_the_log() -> None:
    officer = membership_of(people.OFFICER)
    with acting_for(officer.tenant_id):
        verify_and_record(tenant_id=officer.tenant_id, actor=actor_of(officer.user))


def _open_a_survey() -> None:
    owner = membership_of(people.OWNER)
    with acting_for(owner.tenant_id):
        ask_people(owner)


def _answer_the_survey(day: int) -> Doing:
    """Tokens are in the log, so that no day's answers come twice."""

    def answer() -> None:
        owner = membership_of(people.OWNER)
        with acting_for(owner.tenant_id):
            answer_it(owner, Survey.objects.get(tenant=owner.tenant_id), 75, str(day))

    return answer


def _ask_what_becomes_of_the_held() -> None:
    owner = membership_of(people.OWNER)
    with acting_for(owner.tenant_id):
        request_decision(
            membership=owner,
            dataset=Dataset.objects.get(tenant=owner.tenant, held_at__isnull=False),
            kind=SHARE_HELD_DATASET_BUDGET,
            earlier=dataset(owner, STAYS_NAME),
            reason="The same patients, delivered again: let it count against the same budget.",
        )
