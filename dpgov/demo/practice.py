"""Where an organisation's people practise: an organisation beside theirs, with invented rows.

The wall between organisations keeps it apart: its log, budgets and figures are its own, and nothing
of it counts in any of theirs. Only whoever runs the installation makes one.
"""

from django.utils.translation import gettext as _

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import every_dataset_of
from dpgov.datasets.services import receive_upload, register_dataset
from dpgov.demo.life.datasets import SURVEY
from dpgov.tenants.boundary import acting_as, acting_for
from dpgov.tenants.invitations import invite_as_operator
from dpgov.tenants.joining import accept
from dpgov.tenants.models import Membership, Role, Tenant, User
from dpgov.tenants.selectors import members_of, memberships_of
from dpgov.tenants.services import change_role_in_practice, create_tenant

_LONGEST = 120


class NobodyOwns(ValueError):
    """The organisation has no data owner, who would own the invented dataset too."""

    def __init__(self) -> None:
        super().__init__("The organisation needs a data owner first.")


def prepare_practice(tenant: Tenant) -> Tenant:
    """The organisation where this one's people practise, with all of them in it, in their roles.

    Safe to repeat: whoever came since is added, and what was done there stays. Each step is in the
    log of that organisation. Raises NobodyOwns.
    """
    with acting_for(tenant.pk):
        people = list(members_of(tenant).filter(user__is_active=True).select_related("user"))
    owner = next((one.user for one in people if one.has(Role.OWNER)), None)
    if owner is None:
        raise NobodyOwns
    practice = _of(tenant, people) or create_tenant(
        name=_("Practice: {name}").format(name=tenant.name)[:_LONGEST], practice_of=tenant.pk
    )
    for one in people:
        _let_in(practice, one)
    with acting_for(practice.pk):
        if not every_dataset_of(practice).exists():
            _register(practice, owner)
    return practice


def _of(tenant: Tenant, people: list[Membership]) -> Tenant | None:
    """The one that is there already."""
    for one in people:
        with acting_as(one.user_id):
            for other in memberships_of(one.user):
                if other.tenant.practice_of == tenant.pk:
                    return other.tenant
    return None


def _let_in(practice: Tenant, one: Membership) -> None:
    user = one.user
    with acting_for(practice.pk):
        if Membership.objects.filter(tenant=practice, user=user).exists():
            return
        _invitation, token = invite_as_operator(tenant=practice, email=user.email, role=one.role)
    member = accept(token=token, person=user)
    if one.second_role:
        with acting_for(practice.pk):
            change_role_in_practice(membership=member, role=one.roles_code)


def _register(practice: Tenant, owner: User) -> Dataset:
    upload = receive_upload(
        tenant=practice, uploader=owner, name=SURVEY.file, chunks=[SURVEY.csv()], invented=True
    )
    return register_dataset(
        tenant=practice, owner=owner, upload=upload, declaration=SURVEY.declaration
    ).dataset
