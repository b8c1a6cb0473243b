"""Doors of the list of everybody's API tokens: whose, since and until when; never a value."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dpgov.tenants.models import ApiToken
from dpgov.tenants.permissions import MemberRequest, Permission, requires
from dpgov.tenants.selectors import actor_of, tokens_of_tenant
from dpgov.tenants.tokens import revoke_token

_PAGE = 50


@require_safe
@requires(Permission.MANAGE_MEMBERS)
def member_tokens(request: MemberRequest) -> HttpResponse:
    """Every token of the organisation."""
    found = tokens_of_tenant(request.membership.tenant)
    page = Paginator(found, _PAGE).get_page(request.GET.get("page"))
    return render(request, "tenants/member_tokens.html", {"page": page})


@require_POST
@requires(Permission.MANAGE_MEMBERS)
def member_token_end(request: MemberRequest, reference: UUID) -> HttpResponse:
    """End somebody's token."""
    try:
        token = tokens_of_tenant(request.membership.tenant).get(reference=reference)
        revoke_token(token=token, actor=actor_of(request.user))
    except ApiToken.DoesNotExist as gone:
        raise Http404 from gone
    messages.success(request, _("The token {name} no longer works.").format(name=token.name))
    return redirect("people:member_tokens")
