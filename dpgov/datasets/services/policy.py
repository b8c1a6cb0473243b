"""An owner's policy for questions, and permits for larger ones. Each change is one entry.

Must never touch a budget: a policy refuses questions, it never pays for one. So it may be changed
while a budget is frozen, and stays as it is when one is confirmed.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.budgets.words import noted, question
from dpgov.datasets.models import Dataset, Permit, Policy
from dpgov.datasets.rules import Rules, floor_nano, own_rules_of, permits
from dpgov.datasets.services.entries import record
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock
from dpgov.privacy.accounting.loss import Currency
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of


class LeastPriceTooHigh(SpokenRefusal, ValueError):
    """A question that must cost more than it may could not be asked."""

    def __init__(self) -> None:
        super().__init__(said("This is above the most that one question may cost."))


class LeastPriceTooLow(SpokenRefusal, ValueError):
    """The least price of an installation is never lowered for one dataset."""

    def __init__(self, floor: str) -> None:
        super().__init__(said("Here every question costs at least {floor}.", floor=floor))


class QuestionAboveLimit(SpokenRefusal, ValueError):
    """One question cannot cost more than the limit of all of them."""

    def __init__(self) -> None:
        super().__init__(said("One question cannot cost more than the limit of the whole budget."))


class QuestionBelowLeast(SpokenRefusal, ValueError):
    """Nothing could be asked where one question may cost less than every question costs."""

    def __init__(self, floor: str) -> None:
        super().__init__(
            said("Here every question costs at least {floor}: none could be asked.", floor=floor)
        )


class OwnPermit(SpokenRefusal, ValueError):
    """Nobody permits themselves what they ask, in whichever role."""

    def __init__(self) -> None:
        super().__init__(said("This permit would be your own. Another data owner has to give it."))


class PermitOver(SpokenRefusal, ValueError):
    """A permit until a day that is over would permit nothing, and end one that holds."""

    def __init__(self, today: date) -> None:
        super().__init__(said("This day is over in UTC. Choose {day} or a later day.", day=today))


@transaction.atomic
def change_policy(*, dataset: Dataset, rules: Rules, user: User) -> None:
    """Let other rules hold from the next question on.

    Raises QuestionAboveLimit, QuestionBelowLeast, LeastPriceTooHigh and LeastPriceTooLow.
    """
    locked = Dataset.objects.select_for_update(of=("self",)).select_related("budget")
    present = locked.get(pk=dataset.pk)
    if rules.per_query_nano > present.budget.limit_nano:
        raise QuestionAboveLimit
    floor = floor_nano(present.budget.currency)
    if rules.per_query_nano < min(floor, present.budget.limit_nano):
        raise QuestionBelowLeast(question(floor, present.budget.currency))
    _check_least(rules, present.budget.currency)
    before = own_rules_of(present)
    Dataset.objects.filter(pk=present.pk).update(per_query_limit_nano=rules.per_query_nano)
    Policy.objects.update_or_create(
        dataset_id=present.pk,
        defaults={
            "tenant_id": present.tenant_id,
            "approval_above_nano": rules.approval_above_nano,
            "statistics": list(rules.statistics),
            "least_error": rules.least_error,
            "least_nano": rules.least_nano,
            "only_ready_made": rules.only_ready_made,
        },
    )
    currency = present.budget.currency
    detail = {**_noted(before, currency, "before"), **_noted(rules, currency, "after")}
    record(present, actor_of(user), Action.POLICY_CHANGED, detail)


def _check_least(rules: Rules, currency: Currency) -> None:
    if rules.least_nano is None:
        return
    if rules.least_nano > rules.per_query_nano:
        raise LeastPriceTooHigh
    if rules.least_nano < floor_nano(currency):
        raise LeastPriceTooLow(question(floor_nano(currency), currency))


def _noted(rules: Rules, currency: Currency, when: str) -> dict[str, Any]:
    return {
        **noted(rules.per_query_nano, currency, f"{when}_one_question"),
        **noted(rules.approval_above_nano, currency, f"{when}_approval_above"),
        f"{when}_statistics": list(rules.statistics),
        f"{when}_least_error": rules.least_error,
        **noted(rules.least_nano, currency, f"{when}_least_price"),
        f"{when}_only_ready_made": rules.only_ready_made,
    }


class PermitNotMore(SpokenRefusal, ValueError):
    """Whoever asks for a permit and is given less would lose what they have.

    `by_day`: it would end earlier, or neither amount nor day would be more.
    """

    def __init__(self, present: Permit, currency: Currency, *, by_day: bool) -> None:
        self.by_day = by_day
        super().__init__(
            said(
                "They have a permit for questions up to {most} until {day} already. Give a larger "
                "amount or a later day, and no less of the other, or decline.",
                most=question(present.limit_nano, currency),
                day=present.last_day,
            )
        )


@transaction.atomic
def permit(
    *,
    dataset: Dataset,
    user: User,
    limit_nano: int,
    last_day: date,
    owner: User,
    reason: str,
    only_more: bool = False,
) -> Permit:
    """Let a person ask up to this amount until the end of a day (UTC); the newest word counts.

    Raises OwnPermit and PermitOver, and for `only_more` PermitNotMore where they have as much
    already, looked at under the lock that writes; nothing is changed.
    """
    if user.pk == owner.pk:
        raise OwnPermit
    if last_day < (today := clock.today()):
        raise PermitOver(today)
    values = {
        "tenant_id": dataset.tenant_id,
        "limit_nano": limit_nano,
        "last_day": last_day,
        # By one clock, whichever machine it is given on: of an earlier role it counts no more.
        "created_at": clock.database_now(),
    }
    given, is_new = Permit.objects.select_for_update().get_or_create(
        dataset_id=dataset.pk, user_id=user.pk, defaults=values
    )
    if not is_new:
        if only_more and permits().filter(pk=given.pk, last_day__gte=today).exists():
            _refuse_less(given, limit_nano, last_day, dataset.budget.currency)
        for name, value in values.items():
            setattr(given, name, value)
        given.save(update_fields=list(values))
    detail = {
        "person": user.email,
        **noted(limit_nano, dataset.budget.currency, "limit"),
        "last_day": last_day.isoformat(),
        "reason": reason,
    }
    record(dataset, actor_of(owner), Action.QUESTIONS_PERMITTED, detail)
    return given


def _refuse_less(present: Permit, limit_nano: int, last_day: date, currency: Currency) -> None:
    before, after = (present.limit_nano, present.last_day), (limit_nano, last_day)
    if limit_nano < present.limit_nano:
        raise PermitNotMore(present, currency, by_day=False)
    if last_day < present.last_day or before == after:
        raise PermitNotMore(present, currency, by_day=True)


def permits_of(dataset: Dataset) -> Sequence[Permit]:
    """Everybody's permits of a dataset that count, those that end last first."""
    found = permits().filter(dataset=dataset).select_related("user")
    return list(found.order_by("-last_day", "user__email"))
