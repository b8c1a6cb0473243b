"""What takes two persons here: who is owner or officer.

Told from the request's own payload, so that both persons understand the same.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from dpgov.approvals.giving import GIVE_ROLE, give_as_agreed
from dpgov.approvals.kinds import ChangeKind, Told
from dpgov.approvals.models import ChangeRequest
from dpgov.tenants.models import Role
from dpgov.tenants.permissions import Permission

_MEANING = {
    Role.OFFICER: gettext_lazy(
        "An officer reads the whole log, and decides as the second person what takes two."
    ),
    Role.OWNER: gettext_lazy(
        "An owner registers data, says how far it is protected, and asks for what takes two."
    ),
}
_WHO = gettext_lazy(
    "Approve only if you know that this is a person of their own, for whom no administrator "
    "speaks, and that nobody else reads the mail at this address."
)


def _title(request: ChangeRequest) -> str:
    pattern = _("Invite %(email)s as %(role)s")
    if "member" in request.payload:
        pattern = _("Make %(email)s %(role)s")
    role = Role(request.payload["role"])
    return pattern % {"email": request.payload["email"], "role": role.within}


def _told(request: ChangeRequest) -> Told:
    role, before = Role(request.payload["role"]), request.payload.get("before")
    was = str(Role(before).label) if before else pgettext("no role", "none")
    return Told([(_("Role"), was, str(role.label))], [_MEANING[role], _WHO])


CHANGES = (
    ChangeKind(
        GIVE_ROLE,
        gettext_lazy("Make somebody owner or officer"),
        carry_out=give_as_agreed,
        title=_title,
        describe=_told,
        # Administrators ask for people, and for nothing else.
        asked_with=Permission.MANAGE_MEMBERS,
        page="people:members",
    ),
)
