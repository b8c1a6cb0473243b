"""An owner decides who sees a dataset: everybody in the organisation, or named people only.

One entry with what it was before and is after. Nothing here touches a budget or a question that was
accepted: it is answered, and who asked it reads the answer.
"""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.datasets.audience import viewers_of
from dpgov.datasets.models import Dataset, Viewer
from dpgov.datasets.selectors import present
from dpgov.datasets.services.entries import record
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.tenants.models import Membership, Role, User
from dpgov.tenants.roles import having
from dpgov.tenants.selectors import actor_of

MOST_VIEWERS = 1000


class OwnNaming(SpokenRefusal, ValueError):
    """Nobody names themselves, in whichever role."""

    def __init__(self) -> None:
        super().__init__(
            said("You cannot name yourself: another data owner has to. Nothing was changed.")
        )


class NoAnalyst(SpokenRefusal, ValueError):
    """Only analysts of the organisation are named: everybody else sees it, or is not there."""

    def __init__(self) -> None:
        super().__init__(said("Only analysts of your organisation can be named."))


class TooManyViewers(SpokenRefusal, ValueError):
    """A list that nobody reads to its end protects nobody."""

    def __init__(self) -> None:
        super().__init__(said("At most {most} people can be named.", most=MOST_VIEWERS))


@transaction.atomic
def change_audience(
    *, dataset: Dataset, named_only: bool | None, named: Collection[UUID] | None, user: User
) -> None:
    """Who sees it from now on, and by id the memberships that are named; the same is no change.

    None stays as it is under the lock: what the caller read may not hold any more. Raises
    OwnNaming, NoAnalyst, TooManyViewers, and Dataset.DoesNotExist when it is archived or held. Who
    was named before stays named by whoever did that.
    """
    rows = Dataset.objects.select_for_update(of=("self",)).filter(present())
    locked = rows.get(pk=dataset.pk)
    before = audience_of(locked)
    if named is not None:
        _name(locked, frozenset(named), user)
    if named_only is not None:
        Dataset.objects.filter(pk=locked.pk).update(named_only=named_only)
        locked.named_only = named_only
    after = audience_of(locked)
    if before == after:
        return
    told = [("before", before), ("after", after)]
    detail = {f"{when}_{what}": value for when, of in told for what, value in of.items()}
    record(locked, actor_of(user), Action.AUDIENCE_CHANGED, {"name": locked.name, **detail})


def audience_of(dataset: Dataset) -> Mapping[str, Any]:
    """As the log has it: whether only named people see it, and their addresses."""
    emails = [one.membership.user.email for one in viewers_of(dataset)]
    return {"named_only": dataset.named_only, "viewers": emails}


def _name(dataset: Dataset, wanted: frozenset[UUID], user: User) -> None:
    """Those who are named already stay so; a naming that does not count any more goes."""
    if len(wanted) > MOST_VIEWERS:
        raise TooManyViewers
    kept = {one.membership_id for one in viewers_of(dataset)} & wanted
    people = Membership.objects.filter(having(Role.ANALYST), tenant=dataset.tenant_id)
    added = list(people.filter(pk__in=wanted - kept).select_related("user"))
    if len(added) < len(wanted - kept):
        raise NoAnalyst
    if any(one.user_id == user.pk for one in added):
        raise OwnNaming
    Viewer.objects.filter(dataset=dataset).exclude(membership__in=kept).delete()
    for one in added:
        Viewer.objects.create(
            tenant_id=dataset.tenant_id, dataset=dataset, membership=one, named_by=user
        )
