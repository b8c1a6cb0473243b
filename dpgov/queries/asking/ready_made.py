"""Asking a ready-made question: what an owner published, with its blanks filled in.

The plan is the owner's: nobody who asks can send another one. It is read and its quota counted
under the lock of its row, in the transaction that accepts the question, by the same function that
accepts every other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from dpgov.budgets.services.corrections import refunds_of_queries
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import schema_of
from dpgov.privacy.plan.parameters import Parameter, filled
from dpgov.queries.asking.asked import Asked, read_plan
from dpgov.queries.asking.policy import OutsidePolicy
from dpgov.queries.models import Query, ReadyMade
from dpgov.tenants.models import Membership, User


def _given_back(query: str = "") -> Q:
    """A question that was given back was never answered, so it may be asked again."""
    ended = Q(**{f"{query}state__in": [Query.State.VOIDED, Query.State.EXPIRED]})
    return ended | Q(**{f"{query}pk__in": refunds_of_queries().values("query_id")})


class Withdrawn(OutsidePolicy):
    """No such ready-made question of this dataset: there never was, or it was withdrawn."""

    code = "withdrawn"

    def __init__(self) -> None:
        message = _("There is no such ready-made question, or not any more. Nothing was charged.")
        super().__init__(message, requested_nano=0)


class PublishedByYou(OutsidePolicy):
    """Who publishes a question approves it beforehand, and nobody approves what they ask."""

    code = "published_by_you"

    def __init__(self) -> None:
        message = _(
            "You published this ready-made question, so that another person has to ask it. Nothing "
            "was charged."
        )
        super().__init__(message, requested_nano=0)


class QuotaUsedUp(OutsidePolicy):
    """It was asked as often as its owner let it be, by this person or by all together."""

    code = "quota_used_up"

    def __init__(self, *, most: int, by_all: bool, requested_nano: int) -> None:
        pattern = (
            _(
                "This question was asked as often as it may be by all together ({most}). Nothing "
                "was charged."
            )
            if by_all
            else _("You asked this question as often as you may ({most}). Nothing was charged.")
        )
        super().__init__(pattern.format(most=most), requested_nano=requested_nano)


@dataclass(frozen=True, slots=True)
class Offered:
    """A ready-made question as one analyst finds it; what is left is None without a quota."""

    ready_made: ReadyMade
    parameters: tuple[Parameter, ...]
    left_for_me: int | None
    left_for_all: int | None

    @property
    def is_used_up(self) -> bool:
        """Whether its quota admits no further question of this person."""
        return 0 in (self.left_for_me, self.left_for_all)


def ready_made_of(dataset: Dataset) -> QuerySet[ReadyMade]:
    """Those that can be asked now, by name."""
    return ReadyMade.objects.filter(dataset=dataset, withdrawn_at__isnull=True).order_by("name")


def offered_to(user: User, dataset: Dataset) -> Sequence[Offered]:
    """The same with what their quotas leave this person; two reads, however many there are."""
    counted = ~_given_back("queries__")
    found = ready_made_of(dataset).annotate(
        by_all=Count("queries", filter=counted),
        by_me=Count("queries", filter=counted & Q(queries__analyst=user)),
    )
    return [
        Offered(
            one,
            parameters_of(one),
            _left(one.per_analyst, one.by_me),
            _left(one.altogether, one.by_all),
        )
        for one in found
    ]


def parameters_of(ready_made: ReadyMade) -> tuple[Parameter, ...]:
    """As they were declared."""
    return tuple(
        Parameter(
            one["name"],
            one["column"],
            tuple(one.get("choices", ())),
            one.get("from", ""),
            one.get("to", ""),
        )
        for one in ready_made.parameters
    )


def filled_in(ready_made: ReadyMade, values: object, version: DatasetVersion) -> Asked:
    """The question with these values; raises InvalidPlan at `values.<name>`."""
    raw = filled(ready_made.plan, parameters_of(ready_made), values, schema_of(version))
    asked = read_plan(version, raw)
    return Asked(asked.version, asked.blueprints, ready_made=ready_made)


@dataclass(frozen=True, slots=True)
class ReadyMadeReader:
    """Reads the values that were sent, for this person and key, under the lock of the template."""

    membership: Membership
    ready_made_id: UUID
    key: str

    def __call__(self, version: DatasetVersion, values: object) -> Asked:
        """In the accepting transaction only.

        Raises Withdrawn, PublishedByYou, QuotaUsedUp and InvalidPlan.
        """
        found = (
            ReadyMade.objects.select_for_update(of=("self",))
            .filter(pk=self.ready_made_id, dataset=version.dataset_id, withdrawn_at__isnull=True)
            .first()
        )
        if found is None:
            raise Withdrawn
        if found.published_by_id == self.membership.user_id:
            raise PublishedByYou
        asked = filled_in(found, values, version)
        self._refuse_beyond_quota(found)
        return asked

    def _refuse_beyond_quota(self, found: ReadyMade) -> None:
        """A twin of the same key is not counted: it is found to be the same question later."""
        user = self.membership.user
        asked = Query.objects.filter(~_given_back(), ready_made=found)
        others = asked.exclude(analyst=user, idempotency_key=self.key)
        mine = others.filter(analyst=user)
        for most, counted, by_all in (
            (found.per_analyst, mine, False),
            (found.altogether, others, True),
        ):
            if most is not None and counted.count() >= most:
                raise QuotaUsedUp(most=most, by_all=by_all, requested_nano=found.cost_nano)


def _left(most: int | None, asked: int) -> int | None:
    return None if most is None else max(0, most - asked)
