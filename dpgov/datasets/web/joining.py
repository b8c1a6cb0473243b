"""Pages on which an owner joins a public table to a file before its columns are declared."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.datasets import services
from dpgov.datasets.intake import SpoolHandler
from dpgov.datasets.models import Upload
from dpgov.datasets.storage import Spool
from dpgov.datasets.uploaded import file_or_404, used
from dpgov.datasets.web.forms.dataset import UploadForm
from dpgov.datasets.web.forms.filling import form_of
from dpgov.datasets.web.forms.joining import PublicJoinForm
from dpgov.datasets.web.forms.taking import NO_ROOM, taken
from dpgov.language.translation import translated
from dpgov.tenants.permissions import Permission, membership_of, requires, requires_still
from dpgov.web.pages import show_page


@csrf_exempt  # the token is checked in `_join`, after the bytes have a bound
@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, upload_id: UUID) -> HttpResponseBase:
    """The public table of a file, if there is one; or send another one."""
    handler = SpoolHandler(request, largest=settings.DPGOV_UPLOAD_MAX_BYTES)
    request.upload_handlers = [handler]
    try:
        return _join(request, file_or_404(request, upload_id), handler)
    finally:
        handler.forget()


@csrf_protect
@requires_still(Permission.REGISTER_DATASETS)
def _join(request: HttpRequest, chosen: Upload, handler: SpoolHandler) -> HttpResponse:
    if chosen.state != Upload.State.READY:
        return used(request)
    form = UploadForm()
    if request.method == "POST":
        form = UploadForm(request.POST, request.FILES)
        user = membership_of(request).user

        def take(name: str, spool: Spool) -> Upload:
            return services.take_public_table(upload=chosen, user=user, name=name, spool=spool)

        try:
            if taken(form, handler, take) is not None:
                return redirect(_here(request, chosen))
        except services.UploadUsed:
            return used(request)
        except services.UploadBusy:
            return redirect("datasets:reading", chosen.pk)
    page = _page(request, chosen, form, None)
    if handler.no_room:
        page.status_code = NO_ROOM
    return page


@requires(Permission.REGISTER_DATASETS)
@require_POST
def join_columns(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """Take these columns of the public table, by these keys."""
    chosen = file_or_404(request, upload_id)
    public = services.public_table_of(chosen)
    if chosen.state != Upload.State.READY:
        return used(request)
    if public is None:
        return redirect(_here(request, chosen))
    form = PublicJoinForm(chosen, public, request.POST)
    if form.is_valid():
        try:
            services.join_public_table(upload=chosen, **form.wanted())
            return redirect(form_of(membership_of(request), chosen, _version_of(request)))
        except services.UploadUsed:
            return used(request)
        except services.UploadBusy:
            return redirect("datasets:reading", chosen.pk)
        except services.RefusedFile as refusal:
            form.refuse(translated(refusal.args[0]), refusal.field)
        except services.Busy:
            form.refuse(_("Too many files are being looked at now. Try again in a minute."), "")
    return _page(request, chosen, UploadForm(), form)


@requires(Permission.REGISTER_DATASETS)
@require_POST
def unjoin(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """Delete the public table; the file stays as it was uploaded."""
    chosen = file_or_404(request, upload_id)
    try:
        services.drop_public_table(upload=chosen, user=membership_of(request).user)
    except services.UploadUsed:
        return used(request)
    except services.UploadBusy:
        return redirect("datasets:reading", chosen.pk)
    messages.success(request, _("The public table is deleted; your file stays as it is."))
    return redirect(form_of(membership_of(request), chosen, _version_of(request)))


def _version_of(request: HttpRequest) -> str:
    return request.GET.get("version-of", "")


def _here(request: HttpRequest, chosen: Upload) -> str:
    return reverse("datasets:join", args=[chosen.pk]) + _query(request)


def _query(request: HttpRequest) -> str:
    slug = _version_of(request)
    return f"?{urlencode({'version-of': slug})}" if slug else ""


def _page(
    request: HttpRequest, chosen: Upload, sending: UploadForm, choosing: PublicJoinForm | None
) -> HttpResponse:
    public = services.public_table_of(chosen)
    form = choosing or (PublicJoinForm(chosen, public) if public is not None else None)
    context = {
        "upload": chosen,
        "public": public,
        "sending": sending,
        "form": form,
        "query": _query(request),
        "back": form_of(membership_of(request), chosen, _version_of(request)),
        "largest_megabytes": settings.DPGOV_UPLOAD_MAX_BYTES // 1_000_000,
    }
    refused = sending.errors or (form is not None and form.errors)
    return show_page(request, "datasets/joining/join.html", context, refused=refused)
