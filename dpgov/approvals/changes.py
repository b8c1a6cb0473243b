"""What takes two persons here: who is owner or officer, and who has two roles.

Told from the request's own payload, so that both persons understand the same.
"""

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from dpgov.approvals.giving import GIVE_ROLE, give_as_agreed
from dpgov.approvals.kinds import ChangeKind, Told
from dpgov.approvals.models import ChangeRequest
from dpgov.tenants.permissions import Permission
from dpgov.tenants.role_names import Role, in_words, within
from dpgov.tenants.roles import roles_in

_MEANING = {
    Role.OFFICER: gettext_lazy(
        "An officer reads the whole log, and decides as the second person what takes two."
    ),
    Role.OWNER: gettext_lazy(
        "An owner registers data, says how far it is protected, and asks for what takes two."
    ),
}
_TOGETHER = {
    "owner+analyst": gettext_lazy(
        "They ask about data that they govern themselves: at the same prices, under the same "
        "limits and policies as everybody. What they grant, permit, publish or answer is never for "
        "themselves, and the report of each month says what they asked."
    ),
    "admin+analyst": gettext_lazy(
        "They ask questions, and say who else is a member here. They see nothing of anybody "
        "else's questions."
    ),
}
_WHO = gettext_lazy(
    "Approve only if you know that this is a person of their own, for whom no administrator "
    "speaks, and that nobody else reads the mail at this address."
)


def _title(request: ChangeRequest) -> str:
    pattern = _("Invite %(email)s as %(role)s")
    if "member" in request.payload:
        pattern = _("Give %(email)s the role %(role)s")
    roles = roles_in(request.payload["role"])
    return pattern % {"email": request.payload["email"], "role": within(roles)}


def _told(request: ChangeRequest) -> Told:
    after, before = request.payload["role"], request.payload.get("before")
    was = in_words(roles_in(before)) if before else pgettext("no role", "none")
    will = in_words(roles_in(after))
    return Told([(_("Role"), was, will)], [*_meaning(after, before), _WHO])


def _meaning(after: str, before: str | None) -> list[str | Promise]:
    """Of the roles that are new, and of two together."""
    had = roles_in(before) if before else ()
    new = [_MEANING[role] for role in roles_in(after) if role in _MEANING and role not in had]
    return [*new, *([_TOGETHER[after]] if after in _TOGETHER else [])]


CHANGES = (
    ChangeKind(
        GIVE_ROLE,
        gettext_lazy("Make someone owner or officer, or give two roles"),
        carry_out=give_as_agreed,
        title=_title,
        describe=_told,
        # Administrators ask for people, and for nothing else.
        asked_with=Permission.MANAGE_MEMBERS,
        page="people:members",
    ),
)
