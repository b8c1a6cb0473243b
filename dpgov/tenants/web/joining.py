"""The door that the link in a letter opens."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dpgov.tenants import joining as service
from dpgov.tenants.invitations import InvitationRefused
from dpgov.tenants.services import AlreadyMember
from dpgov.tenants.web.forms import JoinForm
from dpgov.web.pages import show_page


@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """What the invitation is to, and the step that accepts it."""
    try:
        invited = service.look_at(token)
    except InvitationRefused as refusal:
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
    except (InvitationRefused, service.SignInFirst, AlreadyMember) as refusal:
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
    return show_page(
        request, "tenants/join.html", context, refused=problem or (form and form.errors)
    )
