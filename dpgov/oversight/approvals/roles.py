"""What a request to give somebody a role would change, in words that both persons understand.

Reads the request's own payload alone.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from dpgov.approvals.models import ChangeRequest, Kind
from dpgov.limits.population_words import Told
from dpgov.tenants.models import Role

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


def role_title(request: ChangeRequest) -> str | None:
    """One line for lists, or None for a request about something else; asks no database."""
    if request.kind != Kind.GIVE_ROLE:
        return None
    pattern = _("Invite %(email)s as %(role)s")
    if "member" in request.payload:
        pattern = _("Make %(email)s %(role)s")
    role = Role(request.payload["role"])
    return pattern % {"email": request.payload["email"], "role": role.within}


def role_words(request: ChangeRequest) -> Told | None:
    """The whole request in words; None where `role_title` has none."""
    title = role_title(request)
    if title is None:
        return None
    role = Role(request.payload["role"])
    before = request.payload.get("before")
    was = str(Role(before).label) if before else pgettext("no role", "none")
    return Told(title, [(_("Role"), was, str(role.label))], [str(_MEANING[role]), str(_WHO)])
