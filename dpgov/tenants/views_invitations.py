"""Doors of invitations: the administrator's page, and the one that the link in a letter opens."""

import smtplib
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.tenants import invitations as service
from dpgov.tenants.accounts import UnconfirmedAddress
from dpgov.tenants.forms import InvitationForm, JoinForm
from dpgov.tenants.language import language_of_address
from dpgov.tenants.models import Invitation, Role
from dpgov.tenants.permissions import Permission, requires
from dpgov.tenants.requests import MemberRequest
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.services import AlreadyMember

_LETTER = gettext_lazy("""{who} invites you to {tenant} on dpgov, as {role}.

Open this address to join. It works once, for seven days:
{link}

If you did not expect this, you need not do anything.
""")


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.MANAGE_MEMBERS)
def invitations(request: MemberRequest) -> HttpResponse:
    """Invitations that wait, and the form that sends one; its link is shown this once."""
    form = InvitationForm(request.POST if request.method == "POST" else None)
    sent = _invite(request, form) if form.is_valid() else {}
    context = {
        "form": InvitationForm() if sent else form,
        "waiting": service.open_invitations(request.membership.tenant),
        **sent,
    }
    status = 422 if form.errors else 200
    return render(request, "tenants/invitations.html", context, status=status)


def _invite(request: MemberRequest, form: InvitationForm) -> dict[str, Any]:
    try:
        invitation, token = service.invite(membership=request.membership, **form.cleaned_data)
    except AlreadyMember as refusal:
        form.add_error("email", str(refusal))
        return {}
    link = request.build_absolute_uri(reverse("tenants:join", args=[token]))
    return {"sent": invitation, "link": link, "mailed": _mail(request, invitation, link)}


def _mail(request: MemberRequest, invitation: Invitation, link: str) -> bool:
    """Whether the letter left. The link is shown as well, so nothing is lost if it did not."""
    tenant = request.membership.tenant
    with language_of_address(invitation.email):
        role = Role(invitation.role).within
        letter = _LETTER.format(who=request.user, tenant=tenant, role=role, link=link)
        subject = _("{tenant} invites you to dpgov").format(tenant=" ".join(tenant.name.split()))
    try:
        send_mail(subject, letter, None, [invitation.email])
    except (OSError, smtplib.SMTPException, ValueError):
        return False
    return True


@require_POST
@requires(Permission.MANAGE_MEMBERS)
def revoke(request: MemberRequest, invitation_id: UUID) -> HttpResponse:
    """Take an invitation back."""
    waiting = service.open_invitations(request.membership.tenant)
    try:
        found = waiting.get(pk=invitation_id)
        service.revoke(invitation=found, actor=actor_of(request.user))
    except (Invitation.DoesNotExist, service.InvitationRefused) as gone:
        raise Http404 from gone
    text = _("The invitation of {email} works no more.")
    messages.success(request, text.format(email=found.email))
    return redirect("tenants:invitations")


@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """What the invitation is to, and the step that accepts it."""
    try:
        invited = service.look_at(token)
    except service.InvitationRefused as refusal:
        return render(request, "tenants/join.html", {"refusal": str(refusal)}, status=410)
    form = JoinForm(request.POST or None) if invited.needs_password else None
    if request.method == "POST" and (form is None or form.is_valid()):
        return _accept(request, token, invited, form)
    return _page(request, invited, form)


def _accept(
    request: HttpRequest, token: str, invited: service.Invited, form: JoinForm | None
) -> HttpResponse:
    typed = form.cleaned_data if form else {}
    try:
        membership = service.accept(
            token=token,
            person=request.user,
            name=typed.get("name", ""),
            password=typed.get("password", ""),
        )
    except ValidationError as refusal:
        if form is not None:
            form.add_error("password", refusal)
        return _page(request, invited, form)
    except (
        service.InvitationRefused,
        service.SignInFirst,
        AlreadyMember,
        UnconfirmedAddress,
    ) as refusal:
        return _page(request, invited, form, problem=str(refusal))
    if form is None:
        request.session["membership"] = str(membership.pk)
        text = _("You belong to {tenant} now.")
        messages.success(request, text.format(tenant=invited.tenant))
        return redirect(settings.LOGIN_REDIRECT_URL)
    text = _("You belong to {tenant} now. Sign in to begin.")
    messages.success(request, text.format(tenant=invited.tenant))
    return redirect("account_login")


def _page(
    request: HttpRequest, invited: service.Invited, form: JoinForm | None, problem: str = ""
) -> HttpResponse:
    email = getattr(request.user, "email", "")
    context = {
        "invited": invited,
        "form": form,
        "problem": problem,
        "is_them": email.lower() == invited.email,
    }
    status = 422 if problem or (form and form.errors) else 200
    return render(request, "tenants/join.html", context, status=status)
