"""The letter of an invitation. It alone holds the link, and goes to the invited address alone."""

import smtplib

from django.conf import settings
from django.core.mail import send_mail
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.tenants.language import language_of_address
from dpgov.tenants.links import whole_link
from dpgov.tenants.models import Invitation, Role

_LETTER = gettext_lazy("""{who} invites you to {tenant} on dpgov, as {role}.

Open this address to join. It works once, for seven days:
{link}

If you did not expect this, you need not do anything.
""")


def send_invitation(invitation: Invitation, token: str, request: HttpRequest) -> bool:
    """Whether the letter left; noted with the invitation. Never inside a transaction."""
    return send_link(invitation, whole_link(join_path(token), request))


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
    Invitation.objects.filter(pk=invitation.pk).update(sent_at=timezone.now())
    return True


def site_has_mail() -> bool:
    """Whether letters leave this machine; else they are files of whoever runs the installation."""
    return not settings.EMAIL_BACKEND.endswith("mail_folder.EmailBackend")


def join_path(token: str) -> str:
    """Where the holder of this token joins."""
    return reverse("tenants:join", args=[token])
