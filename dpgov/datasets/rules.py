"""What a question must keep besides the budget: an owner's policy, permits, and terms of use.

Whether a person may ask is decided in `queries.asking`, which looks here.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, reduce
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from dpgov.budgets.models import Allocation
from dpgov.datasets.lineage import allocations_for, governing, origins_of
from dpgov.datasets.models import Acceptance, Dataset, Permit, Policy, TermsOfUse
from dpgov.operation import clock
from dpgov.operation.prepared import Prepared
from dpgov.privacy.accounting.decimals import parse_epsilon
from dpgov.privacy.accounting.loss import Currency
from dpgov.tenants.models import Membership, Role, User
from dpgov.tenants.roles import having_since


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


def own_rules_of(dataset: Dataset) -> Rules:
    """What its owners set for it."""
    return _rules(dataset, _policy.first(dataset.pk))


@Prepared
def _policy(dataset_id: UUID) -> QuerySet[Policy]:
    return Policy.objects.filter(dataset_id=dataset_id)


def rules_of(dataset: Dataset) -> Rules:
    """What holds now: of a derived dataset, with the rules of both parents."""
    return _narrowest(own_rules_of(dataset), _of_parents(dataset))


def rules_shown(dataset: Dataset) -> Rules:
    """The same for a page, out of what was read with the dataset; never decides anything."""
    return _narrowest(_rules(dataset, getattr(dataset, "policy", None)), _of_parents(dataset))


def most_per_question(dataset: Dataset) -> int:
    """The most that one question may cost, in the dataset's currency, as pages and API tell it.

    Of a derived dataset that of the narrowest of itself and its parents, as when it is asked. No
    policy is read for it.
    """
    return min(one.per_query_limit_nano for one in governing(dataset))


def _of_parents(dataset: Dataset) -> list[Rules]:
    parents = (origin.parent for origin in origins_of(dataset))
    return [_rules(parent, getattr(parent, "policy", None)) for parent in parents]


def _narrowest(own: Rules, others: Iterable[Rules]) -> Rules:
    """What keeps all of them."""
    return reduce(_narrower, others, own)


def _narrower(one: Rules, other: Rules) -> Rules:
    both = tuple(name for name in one.statistics if name in other.statistics)
    disjoint = bool(one.statistics and other.statistics and not both)
    return Rules(
        min(one.per_query_nano, other.per_query_nano),
        _of_both(min, one.approval_above_nano, other.approval_above_nano),
        both or one.statistics or other.statistics,
        _of_both(max, one.least_error, other.least_error),
        _of_both(max, one.least_nano, other.least_nano),
        # Where the two allow nothing in common, nothing is asked that no owner approved.
        one.only_ready_made or other.only_ready_made or disjoint,
    )


def _of_both(choose: Callable[[int, int], int], one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return choose(one, other)


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
    return _floor_nano(settings.DPGOV_LEAST_EPSILON, currency)


@lru_cache(maxsize=1024)
def _floor_nano(least_epsilon: str, currency: Currency) -> int:
    """Kept: a page of budgets asks for the same few once for each dataset."""
    return currency.price_of(parse_epsilon(least_epsilon))


def permitted_to(user: User, datasets: Collection[UUID], today: date) -> dict[UUID, int]:
    """The largest question that this person was permitted on each of these, where one was."""
    found = permits().filter(dataset__in=datasets, user_id=user.pk, last_day__gte=today)
    return dict(found.values_list("dataset_id", "limit_nano"))


def permits() -> QuerySet[Permit]:
    """Those that count: given to somebody who has been an analyst ever since.

    Who left, or was something else in between, comes back as nobody's decision. The guard of
    questions says the same in SQL.
    """
    same = Membership.objects.filter(
        having_since(Role.ANALYST, OuterRef("created_at")),
        tenant=OuterRef("tenant"),
        user=OuterRef("user"),
    )
    return Permit.objects.filter(Exists(same))


@dataclass(frozen=True, slots=True)
class Present:
    """What counts now; None where they have none. A project's allocation is not their own."""

    allocation: Allocation | None
    permit: Permit | None


def present_of(user: User, dataset: Dataset) -> Present:
    """What this person has of their own on a dataset."""
    usable = allocations_for(user, dataset)
    counting = permits().filter(dataset=dataset, user=user, last_day__gte=clock.today())
    own = next((one for one in usable if one.user_id is not None), None)
    return Present(own, counting.first())


def taken_under_own(user: User, dataset: Dataset) -> int:
    """What was ever committed under their own allocation, also if that has ended: a new one begins
    with it.
    """
    found = Allocation.objects.filter(dataset_budget=dataset.budget_id, user=user)
    own = found.select_related("budget").first()
    return 0 if own is None else own.budget.committed_nano


def versions_of(dataset: Dataset) -> QuerySet[TermsOfUse]:
    """Every version that was ever set, the newest first; also those without text."""
    return TermsOfUse.objects.filter(dataset=dataset).order_by("-number")


def in_force(dataset_id: UUID) -> TermsOfUse | None:
    """The newest version; None where none was ever set, or the newest one has no text."""
    newest = TermsOfUse.objects.filter(dataset=dataset_id).order_by("-number").first()
    return newest if newest is not None and newest.text else None


def to_accept(dataset_id: UUID, user: User) -> TermsOfUse | None:
    """What this person has to accept before they ask anything of it, if anything; one read."""
    newest: Any = _newest_terms.first(dataset_id, user.pk)
    if newest is None or not newest.text or newest.is_accepted:
        return None
    return cast(TermsOfUse, newest)


@Prepared
def _newest_terms(dataset_id: UUID, user_id: UUID) -> QuerySet[TermsOfUse]:
    mine = Acceptance.objects.filter(terms=OuterRef("pk"), accepted_by=user_id)
    versions = TermsOfUse.objects.filter(dataset=dataset_id).annotate(is_accepted=Exists(mine))
    return versions.order_by("-number")[:1]


def acceptances_of(terms: TermsOfUse) -> QuerySet[Acceptance]:
    """Who accepted this version, the newest first."""
    return terms.acceptances.select_related("accepted_by").order_by("-accepted_at", "-pk")


def accepted_at(terms: TermsOfUse, user: User) -> Acceptance | None:
    """When this person accepted this version, if they did."""
    return terms.acceptances.filter(accepted_by=user).first()
