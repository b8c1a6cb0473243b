"""Where an organisation's people practise: beside theirs, with invented rows and answers.

The wall between organisations keeps it apart: its log, budgets and figures are its own, and nothing
of it counts in any of theirs. Only whoever runs the installation makes one.
"""

from django.utils.translation import gettext as _

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import every_dataset_of
from dpgov.datasets.services import receive_upload, register_dataset
from dpgov.demo.life.datasets import SURVEY
from dpgov.demo.life.survey import answer_it, ask_people
from dpgov.surveys.models import Survey
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, Role, Tenant, User
from dpgov.tenants.practising import let_in, practice_of
from dpgov.tenants.selectors import members_of
from dpgov.tenants.services import create_tenant

_LONGEST = 120
_ANSWERED = 60


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
    practice = practice_of(tenant, people) or create_tenant(
        name=_("Practice: {name}").format(name=tenant.name)[:_LONGEST], practice_of=tenant.pk
    )
    for one in people:
        let_in(practice, one)
    with acting_for(practice.pk):
        if not every_dataset_of(practice.pk).exists():
            _register(practice, owner)
        if not Survey.objects.filter(tenant=practice).exists():
            asker = Membership.objects.get(tenant=practice, user=owner)
            answer_it(asker, ask_people(asker), _ANSWERED, "practice")
    return practice


def _register(practice: Tenant, owner: User) -> Dataset:
    upload = receive_upload(
        tenant=practice, uploader=owner, name=SURVEY.file, chunks=[SURVEY.csv()], invented=True
    )
    return register_dataset(
        tenant=practice, owner=owner, upload=upload, declaration=SURVEY.declaration
    ).dataset
