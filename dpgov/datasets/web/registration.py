"""Pages that take a file in and turn it into a dataset. The uploader's own, and nobody else's."""

from typing import Any
from urllib.parse import quote
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.datasets import services, uploaded
from dpgov.datasets.intake import SpoolHandler
from dpgov.datasets.models import Arrival, Upload
from dpgov.datasets.selectors import namesake, same_name
from dpgov.datasets.storage import Spool
from dpgov.datasets.tasks import wake
from dpgov.datasets.uploaded import upload_or_404, used
from dpgov.datasets.web.forms.dataset import UploadForm
from dpgov.datasets.web.forms.file import is_worth_a_look
from dpgov.datasets.web.forms.filling import around_the_grid, form_of
from dpgov.datasets.web.forms.importing import kept
from dpgov.datasets.web.forms.registration import RegistrationForm, as_posted
from dpgov.datasets.web.forms.taking import NO_ROOM, taken
from dpgov.language.translation import retold, translated
from dpgov.operation.middleware import drops_nul
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.permissions import Permission, membership_of, requires, requires_still
from dpgov.web.pages import show_page


@csrf_exempt  # the token is checked in `_upload`, after the bytes have a bound
@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponseBase:
    """Choose a file and send it. Nobody without the role gets a single byte stored."""
    handler = SpoolHandler(request, largest=settings.DPGOV_UPLOAD_MAX_BYTES)
    request.upload_handlers = [handler]
    try:
        return _upload(request, handler)
    finally:
        handler.forget()


@csrf_protect
@requires_still(Permission.REGISTER_DATASETS)
def _upload(request: HttpRequest, handler: SpoolHandler) -> HttpResponse:
    form = UploadForm()
    if request.method == "POST":
        form = UploadForm(request.POST, request.FILES)
        found = _take(request, form, handler)
        if found is not None:
            return _next_step(request, found)
    membership = membership_of(request)
    context = {
        "form": form,
        "uploads": uploaded.uploads_of(membership.tenant, membership.user),
        "largest_bytes": settings.DPGOV_UPLOAD_MAX_BYTES,
        "live_tables": services.are_offered(),
        "largest_megabytes": settings.DPGOV_UPLOAD_MAX_BYTES // 1_000_000,
    }
    page = show_page(request, "datasets/registering/upload.html", context, refused=form.errors)
    if handler.no_room:
        page.status_code = NO_ROOM
    return page


def _next_step(request: HttpRequest, taken: Upload) -> HttpResponse:
    """Declare a new dataset, or a new version of the one that the address names.

    Before that, what was understood of the file, where that is not plain.
    """
    slug = request.GET.get("version-of", "")
    if is_worth_a_look(taken):
        address = reverse("datasets:file", args=[taken.pk])
        return redirect(f"{address}?version-of={quote(slug)}" if slug else address)
    return redirect(form_of(membership_of(request), taken, slug))


def _take(request: HttpRequest, form: UploadForm, handler: SpoolHandler) -> Upload | None:
    membership = membership_of(request)

    def take(name: str, spool: Spool) -> Upload:
        return services.take_upload(
            tenant=membership.tenant, uploader=membership.user, name=name, spool=spool
        )

    return taken(form, handler, take)


@drops_nul
@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """Declare the domains and the budget; a worker then reads the file."""
    chosen = upload_or_404(request, upload_id)
    if chosen.state != Upload.State.READY:
        return used(request)
    arrival = uploaded.arrival_of(chosen)
    if arrival is not None and arrival.is_running:
        return redirect("datasets:reading", upload_id)
    if request.method != "POST":
        return _registration_page(request, chosen, _begun(request, chosen, arrival))
    form = RegistrationForm(chosen.headers, request.POST)
    if not _is_refused(request, form):
        try:
            return _ask(request, chosen, form)
        except services.UploadUsed:
            return used(request)
        except InvalidDomain as problem:
            form.refuse(translated(problem.args[0]), field=problem.field)
        except (
            services.DraftTooLarge,
            services.TooManyFiles,
            services.FingerprintKeyChanged,
        ) as refusal:
            form.refuse(str(refusal))
    return _registration_page(request, chosen, form)


def _is_refused(request: HttpRequest, form: RegistrationForm) -> bool:
    """Whether something is wrong, a name that is taken as well: all of it is shown at once."""
    is_refused = not form.is_valid()
    name = form.dataset.cleaned_data.get("name")
    other = namesake(membership_of(request), name) if name else None
    if other is not None:
        form.refuse(translated(same_name(other)), field="name")
    return is_refused or other is not None


def _ask(request: HttpRequest, chosen: Upload, form: RegistrationForm) -> HttpResponse:
    services.ask_registration(
        owner=membership_of(request).user,
        upload=chosen,
        declaration=form.declaration(),
        typed=request.POST,
    )
    wake()
    return redirect("datasets:reading", chosen.id)


def _begun(request: HttpRequest, chosen: Upload, arrival: Arrival | None) -> RegistrationForm:
    """The form with what was typed or read from elsewhere; and why a worker refused it, if so."""
    typed, outcome = services.draft_of(chosen), uploaded.refusal_of(arrival)
    if not outcome or kept(request, chosen) is not None or (arrival and arrival.is_version):
        return RegistrationForm(chosen.headers, typed=typed)
    form = RegistrationForm(chosen.headers, as_posted(typed))
    form.is_valid()
    told = retold(outcome)
    form.refuse(told, field=outcome["field"], column=outcome["column"])
    return form


@requires(Permission.REGISTER_DATASETS)
@require_POST
def discard(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """Delete an uploaded file that is not registered."""
    chosen = upload_or_404(request, upload_id)
    try:
        services.discard_upload(upload=chosen, user=membership_of(request).user)
    except services.UploadUsed:
        return used(request)
    except services.UploadBusy:
        return redirect("datasets:reading", upload_id)
    deleted = _("{name} is deleted.")
    messages.success(request, deleted.format(name=chosen.original_name))
    return redirect("datasets:upload")


def _registration_page(
    request: HttpRequest, chosen: Upload, form: RegistrationForm
) -> HttpResponse:
    problems = list(form.problems()) if form.dataset.is_bound else []
    context: dict[str, Any] = {
        "upload": chosen,
        "form": form,
        "problems": problems,
        "imported": kept(request, chosen),
        **around_the_grid(request, chosen),
    }
    return show_page(
        request,
        "datasets/registering/register.html",
        context,
        refused=problems and request.method == "POST",
    )
