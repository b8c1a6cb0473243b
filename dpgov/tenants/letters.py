"""Letters: in the language of who reads them, with whole addresses; and that of an invitation.

The language is the person's own choice, and must never get into what is kept. Addresses begin with
DPGOV_BASE_URL, never with what a browser sent; only where that is not set, as in a demonstration,
the address of the request counts, and `manage.py check` refuses a mail server without it. The
letter of an invitation alone holds its link, and goes to the invited address alone.
"""

import smtplib
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import send_mail
from django.http import HttpRequest
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.operation import clock
from dpgov.tenants.models import Invitation, Role, User


def language_of(user: User) -> Any:
    """A context in which everything is said in this person's language: for letters."""
    return translation.override(user.language or settings.LANGUAGE_CODE)


def language_of_address(email: str) -> Any:
    """The same for whoever has this address; until they chose, the writer's language counts."""
    person = User.objects.filter(email__iexact=email).first()
    chosen = person.language if person else ""
    return translation.override(chosen or translation.get_language())


def whole_link(path: str, of_request: Callable[[str], str] | None = None) -> str:
    """The path with this installation's address before it; the bare path where none is known.

    `of_request` is what a request makes of a path: its `build_absolute_uri`.
    """
    if settings.DPGOV_BASE_URL:
        return f"{settings.DPGOV_BASE_URL}{path}"
    return of_request(path or "/") if of_request is not None else path


def at_our_address(url: str, request: HttpRequest | None) -> str:
    """The same page at this installation's address, whatever host the address given names."""
    parts = urlsplit(url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return whole_link(path, request.build_absolute_uri if request is not None else None)


_LETTER = gettext_lazy("""{who} invites you to {tenant} on dpgov, as {role}.

Open this address to join. It works once, for seven days:
{link}

If you did not expect this, you need not do anything.
""")


def send_invitation(invitation: Invitation, token: str, of_request: Callable[[str], str]) -> bool:
    """Whether the letter left; noted with the invitation. Never inside a transaction."""
    return send_link(invitation, whole_link(join_path(token), of_request))


def send_link(invitation: Invitation, link: str) -> bool:
    """The same with a whole link, for who has no page: a command."""
    name = " ".join(invitation.tenant.name.split())
    with language_of_address(invitation.email):
        role = Role(invitation.role).within
        who = invitation.invited_by or name
        letter = _LETTER.format(who=who, tenant=invitation.tenant, role=role, link=link)
        subject = _("{tenant} invites you to dpgov").format(tenant=name)
    try:
        send_mail(subject, letter, None, [invitation.email])
    except (OSError, smtplib.SMTPException, ValueError):
        return False
    Invitation.objects.filter(pk=invitation.pk).update(sent_at=clock.now())
    return True


def site_has_mail() -> bool:
    """Whether letters leave this machine; else they are files of whoever runs the installation."""
    return not settings.EMAIL_BACKEND.endswith("mail_folder.EmailBackend")


def join_path(token: str) -> str:
    """Where the holder of this token joins."""
    return reverse("tenants:join", args=[token])
