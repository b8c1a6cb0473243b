"""Doors for tokens and the choice of tenant: each translates and calls one service."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.tenants import tokens as token_services
from dpgov.tenants.chosen import choose
from dpgov.tenants.models import ApiToken
from dpgov.tenants.permissions import MemberRequest, Permission, requires
from dpgov.tenants.selectors import actor_of, memberships_of, tokens_of
from dpgov.tenants.web.forms import TokenForm
from dpgov.web.pages import show_page


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.USE_API)
def tokens(request: MemberRequest) -> HttpResponse:
    """The person's own tokens, and the form that makes one; its value is shown this once."""
    form = TokenForm(request.POST or None)
    value = _create_token(request, form) if form.is_valid() else None
    context = {
        "form": TokenForm() if value else form,
        "tokens": tokens_of(request.membership),
        "value": value,
        "api_root": request.build_absolute_uri("/api/v1/"),
    }
    return show_page(request, "tenants/tokens.html", context, refused=form.errors)


def _create_token(request: MemberRequest, form: TokenForm) -> str | None:
    try:
        __, value = token_services.create_token(
            membership=request.membership,
            name=form.cleaned_data["name"],
            days=form.cleaned_data["days"],
            actor=actor_of(request.user),
        )
        return value
    except (token_services.TooManyTokens, token_services.TokenNameTaken) as refusal:
        form.add_error("name", str(refusal))
    return None


@require_POST
@requires(Permission.USE_API)
def token_revoke(request: MemberRequest, reference: UUID) -> HttpResponse:
    """End one of the person's own tokens."""
    try:
        token = tokens_of(request.membership).get(reference=reference)
        token_services.revoke_token(token=token, actor=actor_of(request.user))
    except ApiToken.DoesNotExist as gone:
        raise Http404 from gone
    messages.success(request, _("The token {name} no longer works.").format(name=token.name))
    return redirect("tenants:tokens")


@require_POST
@login_required
def switch(request: MemberRequest) -> HttpResponse:
    """Act in another of one's own tenants from now on; pages opened before send nothing more."""
    wanted = request.POST.get("membership", "")
    chosen = next((one for one in memberships_of(request.user) if str(one.pk) == wanted), None)
    if chosen is None:
        raise Http404
    choose(request, chosen)
    return redirect(settings.LOGIN_REDIRECT_URL)
