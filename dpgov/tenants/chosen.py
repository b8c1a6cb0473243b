"""In which of their organisations a person acts: what the session has chosen.

The session decides for which organisation a form is carried out, when it is sent. So the token of
a form says of which membership its page was, and a form of another one is refused, whatever became
of the session: two requests at a time may end in any order. And each change of the choice ends the
forms that were opened before it. Nothing that was read, typed or priced in one organisation may
ever be carried out in another.
"""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.middleware.csrf import CSRF_SECRET_LENGTH, rotate_token
from django.utils.crypto import get_random_string, salted_hmac

from dpgov.tenants.boundary import acting_as
from dpgov.tenants.models import Membership, User
from dpgov.tenants.selectors import memberships_of

_CHOSEN = "membership"
# Of the token of each form: the cookie says it, and Django compares the two.
_KEPT_AS = "CSRF_COOKIE"
# So many letters at its end say whose it is; what is left of it can still not be guessed.
_MARK = 12


def choose(request: HttpRequest, membership: Membership) -> None:
    """Act as this membership from now on; forms that were opened before are refused."""
    request.session[_CHOSEN] = str(membership.pk)
    rotate_token(request)
    request.META[_KEPT_AS] = _of(membership, request.META[_KEPT_AS])


def tie(request: HttpRequest, membership: Membership) -> None:
    """Forms of the answer are of this membership; one of another is refused like a stranger's.

    What is random in a token stays, so that pages that are opened together bear the same one.
    """
    sent = request.META.get(_KEPT_AS)
    tied = _of(membership, sent or get_random_string(CSRF_SECRET_LENGTH))
    if sent is not None and sent != tied:
        request.COOKIES[settings.CSRF_COOKIE_NAME] = tied
    request.META[_KEPT_AS] = tied


def _of(membership: Membership, secret: str) -> str:
    mark = salted_hmac("dpgov.tenants.chosen", str(membership.pk)).hexdigest()[:_MARK]
    return secret[:-_MARK] + mark


def begin(*, request: HttpRequest | None = None, user: User, **_: Any) -> None:
    """Who signs in acts as their first membership, until they choose or it ends."""
    if request is None:
        return
    with acting_as(user.pk):
        first = next(iter(memberships_of(user)), None)
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
