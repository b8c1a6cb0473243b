"""Reads of an owner's policy and of permits: what a question must keep, besides the budget."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.conf import settings

from dpgov.datasets.models import Dataset, Permit, Policy
from dpgov.privacy.accounting.decimals import parse_epsilon
from dpgov.privacy.accounting.loss import Currency
from dpgov.tenants.models import User


@dataclass(frozen=True, slots=True)
class Rules:
    """A policy as a value; amounts in the dataset's currency, None where nothing is asked.

    `per_query_nano` is the most that one question may cost. `statistics` empty: all are allowed.
    `least_error` is how many rows a count must be off by, at 95%, at least. `least_nano` is the
    least that one question costs; None where the installation's floor is. `only_ready_made`:
    nothing may be asked but ready-made questions, which an owner approved beforehand.
    """

    per_query_nano: int
    approval_above_nano: int | None = None
    statistics: tuple[str, ...] = ()
    least_error: int | None = None
    least_nano: int | None = None
    only_ready_made: bool = False


def rules_of(dataset: Dataset) -> Rules:
    """What holds now."""
    return _rules(dataset, Policy.objects.filter(dataset_id=dataset.pk).first())


def rules_shown(dataset: Dataset) -> Rules:
    """The same for a page, out of what was read with the dataset; never decides anything."""
    return _rules(dataset, getattr(dataset, "policy", None))


def _rules(dataset: Dataset, policy: Policy | None) -> Rules:
    if policy is None:
        return Rules(dataset.per_query_limit_nano)
    return Rules(
        dataset.per_query_limit_nano,
        policy.approval_above_nano,
        tuple(policy.statistics),
        policy.least_error,
        policy.least_nano,
        policy.only_ready_made,
    )


def least_price_nano(dataset: Dataset, rules: Rules | None = None) -> int:
    """The least that one question costs, in the dataset's currency: its owner's, or the floor.

    What a program cannot hide of its work is little for each question; that each has a price
    bounds how many there are. `rules` where they were read already.
    """
    rules = rules or rules_of(dataset)
    return max(rules.least_nano or 0, floor_nano(dataset.budget.currency))


def floor_nano(currency: Currency) -> int:
    """The installation's least price (DPGOV_LEAST_EPSILON), in a currency."""
    return currency.price_of(parse_epsilon(settings.DPGOV_LEAST_EPSILON))


def permitted_to(user: User, datasets: Collection[UUID], today: date) -> dict[UUID, int]:
    """The largest question that this person was permitted on each of these, where one was."""
    found = Permit.objects.filter(
        dataset__in=datasets, user_id=user.pk, last_day__gte=today
    ).values_list("dataset_id", "limit_nano")
    return dict(found)
