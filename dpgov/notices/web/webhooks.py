"""Doors for the tenant's webhooks: the list, one of them with its deliveries, and its steps."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dpgov.notices import selectors, webhooks
from dpgov.notices.kinds import Kind, label_of_anybody
from dpgov.notices.models import Webhook
from dpgov.notices.web.forms import WebhookForm
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page

_PAGE = 25


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.MANAGE_WEBHOOKS)
def webhook_list(request: HttpRequest) -> HttpResponse:
    """Every webhook, and the form that adds one; its secret is shown this once."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    added = _add(request, form) if form.is_valid() else None
    context = {
        "form": WebhookForm() if added else form,
        "added": added,
        "webhooks": selectors.webhooks_of(membership_of(request).tenant_id),
    }
    return show_page(request, "notices/webhooks.html", context, refused=form.errors)


def _add(request: HttpRequest, form: WebhookForm) -> webhooks.WithSecret | None:
    try:
        return webhooks.add_webhook(membership=membership_of(request), **form.cleaned_data)
    except ValueError as refusal:
        form.add_error("url", str(refusal))
    return None


@require_safe
@requires(Permission.MANAGE_WEBHOOKS)
def webhook(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """One webhook and its deliveries."""
    return _page(request, _webhook(request, webhook_id))


@require_POST
@requires(Permission.MANAGE_WEBHOOKS)
def renew(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """Another secret, shown this once."""
    found = _webhook(request, webhook_id)
    try:
        renewed = webhooks.renew_secret(webhook=found, membership=membership_of(request))
    except Webhook.DoesNotExist as gone:
        raise Http404 from gone
    return _page(request, renewed.webhook, secret=renewed.secret)


@require_POST
@requires(Permission.MANAGE_WEBHOOKS)
def test(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """Plan a test message."""
    webhooks.send_test(webhook=_webhook(request, webhook_id))
    text = _("A test message is on its way. Look at this page in a few seconds.")
    messages.success(request, text)
    return redirect("notices:webhook", webhook_id)


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.MANAGE_WEBHOOKS)
def remove(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """Ask once more, then call it no more."""
    found = _webhook(request, webhook_id)
    if request.method != "POST":
        return render(request, "notices/webhook_remove.html", {"webhook": found})
    try:
        webhooks.remove_webhook(webhook=found, membership=membership_of(request))
    except Webhook.DoesNotExist as gone:
        raise Http404 from gone
    messages.success(request, _("The webhook is removed. Nothing is sent there any more."))
    return redirect("notices:webhooks")


def _webhook(request: HttpRequest, webhook_id: UUID) -> Webhook:
    try:
        return selectors.get_webhook(membership_of(request), webhook_id)
    except Webhook.DoesNotExist as missing:
        raise Http404 from missing


def _page(request: HttpRequest, found: Webhook, **more: Any) -> HttpResponse:
    deliveries = selectors.deliveries_of(found)
    context = {
        "webhook": found,
        "kinds": [label_of_anybody(Kind(kind)) for kind in found.kinds],
        "page": Paginator(deliveries, _PAGE).get_page(request.GET.get("page")),
        **more,
    }
    return render(request, "notices/webhook.html", context)
