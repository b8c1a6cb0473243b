"""Doors for one's own notices: the page, read or unread, and what reaches oneself."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dpgov.notices import selectors
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Notice
from dpgov.notices.services import choose, mark, mark_all
from dpgov.notices.web.forms import ChoicesForm
from dpgov.notices.words import page_of, sentence
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page

_PAGE = 25


@require_safe
@requires(Permission.VIEW_DATASETS)
def notices(request: HttpRequest) -> HttpResponse:
    """The person's own notices, newest first."""
    own = selectors.notices_of(membership_of(request))
    page = Paginator(own, _PAGE).get_page(request.GET.get("page"))
    rows = [
        (
            notice,
            sentence(notice.event.kind, notice.event.detail),
            page_of(notice.event.kind, notice.event.detail),
            _label(notice.event.kind),
        )
        for notice in page.object_list
    ]
    unread = selectors.unread_of(membership_of(request)).count()
    context = {"page": page, "rows": rows, "unread": unread}
    return render(request, "notices/notices.html", context)


def _label(kind: str) -> str:
    return str(Kind(kind).label) if kind in Kind.values else kind


@require_POST
@requires(Permission.VIEW_DATASETS)
def read(request: HttpRequest, notice_id: UUID) -> HttpResponse:
    """Mark one as read, or as unread again; then the page that shows more, if that was asked."""
    membership = membership_of(request)
    try:
        notice = selectors.get_notice(membership, notice_id)
        mark(membership=membership, notice_id=notice_id, read="unread" not in request.POST)
    except Notice.DoesNotExist as missing:
        raise Http404 from missing
    shown = page_of(notice.event.kind, notice.event.detail) if "open" in request.POST else ""
    return redirect(shown or "notices:list")


@require_POST
@requires(Permission.VIEW_DATASETS)
def read_all(request: HttpRequest) -> HttpResponse:
    """Mark everything as read."""
    if mark_all(membership=membership_of(request)):
        messages.success(request, _("All notifications are marked as read."))
    return redirect("notices:list")


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.VIEW_DATASETS)
def choices(request: HttpRequest) -> HttpResponse:
    """What reaches this person, and how."""
    membership, form = membership_of(request), ChoicesForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        choose(
            membership=membership,
            in_app=form.cleaned_data["in_app"],
            letters=form.cleaned_data["letter"],
        )
        messages.success(request, _("Saved. It counts for notifications from now on."))
        return redirect("notices:choices")
    context = {"choices": selectors.choices_of(membership), "form": form}
    return show_page(request, "notices/choices.html", context, refused=form.errors)
