"""Officers of two organisations agree that their data is compared; either side may end it.

Saying yes tells nobody whether there is such an organisation, nor what it said: only when both
agree does each side see that it holds. Only officers learn anything from it.
"""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.datasets.crossing import agreed_with
from dpgov.datasets.models import Agreement
from dpgov.datasets.services.turns import queue_up
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock
from dpgov.tenants.models import Tenant, User
from dpgov.tenants.selectors import actor_of


class AgreedAlready(SpokenRefusal):
    """This organisation agreed with that one before."""

    def __init__(self) -> None:
        super().__init__(said("Your organisation has agreed to this already."))


class OwnOrganisation(SpokenRefusal):
    """An organisation's own data is compared anyway."""

    def __init__(self) -> None:
        super().__init__(said("That is your own organisation. Its data is compared anyway."))


@dataclass(frozen=True, slots=True)
class GivenAgreement:
    """One agreement of this side; `name` is that of the other one if it agreed too, or empty."""

    agreement: Agreement
    name: str


def agreements_of(tenant: Tenant) -> list[GivenAgreement]:
    """What this organisation agreed to, by the short names of the others."""
    names = agreed_with(tenant.pk)
    given = _open(tenant).select_related("given_by").order_by("other")
    return [GivenAgreement(each, names.get(each.other, "")) for each in given]


@transaction.atomic
def agree(*, tenant: Tenant, other: str, user: User) -> None:
    """Agree that data is compared with the organisation of this short name, if there is one.

    Raises AgreedAlready and OwnOrganisation.
    """
    queue_up(tenant)
    if other == tenant.slug:
        raise OwnOrganisation
    if _open(tenant).filter(other=other).exists():
        raise AgreedAlready
    Agreement.objects.create(tenant=tenant, other=other, given_by=user)
    _record(tenant, user, Action.COMPARING_AGREED, other)


@transaction.atomic
def end_agreement(*, tenant: Tenant, other: str, user: User) -> None:
    """From now on nothing is compared any more. Raises Agreement.DoesNotExist."""
    queue_up(tenant)
    given = _open(tenant).get(other=other)
    given.ended_at = clock.now()
    given.save(update_fields=["ended_at"])
    _record(tenant, user, Action.COMPARING_ENDED, other)


def _open(tenant: Tenant) -> QuerySet[Agreement]:
    return Agreement.objects.filter(tenant=tenant, ended_at__isnull=True)


def _record(tenant: Tenant, user: User, action: Action, other: str) -> None:
    append(
        tenant_id=tenant.pk,
        actor=actor_of(user),
        action=action,
        subject=f"tenant:{tenant.pk}",
        detail={"other": other},
    )
