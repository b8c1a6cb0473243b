"""In which of their organisations a person acts: what the session has chosen.

No form says for which organisation it was opened; the session decides when it is sent. So each
change of the choice ends the forms that were opened before it: their token is that of a browser
that acted elsewhere, and they are refused with a page that says so. Nothing that was read, typed
or priced in one organisation may ever be carried out in another.
"""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from django.middleware.csrf import rotate_token

from dpgov.tenants.boundary import acting_as
from dpgov.tenants.models import Membership, User
from dpgov.tenants.selectors import memberships_of

_CHOSEN = "membership"


def choose(request: HttpRequest, membership: Membership) -> None:
    """Act as this membership from now on; forms that were opened before are refused."""
    request.session[_CHOSEN] = str(membership.pk)
    rotate_token(request)


def begin(*, request: HttpRequest | None = None, user: User, **_: Any) -> None:
    """Who signs in acts as their first membership, until they choose or it ends."""
    if request is None:
        return
    with acting_as(user.pk):
        first = memberships_of(user).first()
    if first is not None:
        request.session.setdefault(_CHOSEN, str(first.pk))


def chosen_among(request: HttpRequest, memberships: Sequence[Membership]) -> Membership | None:
    """The membership that the session chose; None where that has ended, or there is none at all.

    A session without a choice takes the first, and keeps to it.
    """
    if _CHOSEN not in request.session and memberships:
        request.session[_CHOSEN] = str(memberships[0].pk)
    chosen = request.session.get(_CHOSEN)
    return next((one for one in memberships if str(one.pk) == chosen), None)


def has_chosen(request: HttpRequest) -> bool:
    """Whether the session acts, or acted, for an organisation."""
    return _CHOSEN in request.session
