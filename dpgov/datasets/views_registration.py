"""Pages that take a file in and turn it into a dataset. The uploader's own, and nobody else's."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.budgets.words import amount, limit_text
from dpgov.datasets import selectors, services
from dpgov.datasets.forms import UploadForm
from dpgov.datasets.forms_import import kept
from dpgov.datasets.forms_registration import RegistrationForm
from dpgov.datasets.intake import CappedUploadHandler
from dpgov.datasets.lookup import upload_or_404, used
from dpgov.datasets.models import Upload
from dpgov.privacy.schema import InvalidDomain
from dpgov.tenants.language import translated
from dpgov.tenants.permissions import Permission, requires
from dpgov.tenants.requests import membership_of

_REFUSED = 422


@csrf_exempt  # the token is checked in `_upload`, after the bytes have a bound
@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponseBase:
    """Choose a file and send it. Nobody without the role gets a single byte stored."""
    handler = CappedUploadHandler(request, largest=settings.DPGOV_UPLOAD_MAX_BYTES)
    request.upload_handlers = [handler]
    return _upload(request, handler)


@csrf_protect
def _upload(request: HttpRequest, handler: CappedUploadHandler) -> HttpResponse:
    form = UploadForm()
    if request.method == "POST":
        form = UploadForm(request.POST, request.FILES)
        taken = _take(request, form, handler)
        if taken is not None:
            return _next_step(request, taken)
    membership = membership_of(request)
    context = {
        "form": form,
        "uploads": selectors.uploads_of(membership.tenant, membership.user),
        "largest_bytes": settings.DPGOV_UPLOAD_MAX_BYTES,
        "largest_megabytes": settings.DPGOV_UPLOAD_MAX_BYTES // 1_000_000,
    }
    return render(request, "datasets/upload.html", context, status=_REFUSED if form.errors else 200)


def _next_step(request: HttpRequest, taken: Upload) -> HttpResponse:
    """Declare a new dataset, or a new version of the one that the address names."""
    slug = request.GET.get("version-of", "")
    if selectors.datasets_of(membership_of(request).tenant).filter(slug=slug).exists():
        return redirect("datasets:add_version", slug, taken.id)
    return redirect("datasets:register", taken.id)


def _take(request: HttpRequest, form: UploadForm, handler: CappedUploadHandler) -> Upload | None:
    if handler.too_large:
        megabytes = settings.DPGOV_UPLOAD_MAX_BYTES // 1_000_000
        form.errors.clear()
        too_large = _("The file is larger than {megabytes} MB. Split or shorten it.")
        size = number_format(megabytes, force_grouping=True)
        form.add_error("file", too_large.format(megabytes=size))
        return None
    if not form.is_valid():
        return None
    file: UploadedFile = form.cleaned_data["file"]
    membership = membership_of(request)
    try:
        return services.receive_upload(
            tenant=membership.tenant,
            uploader=membership.user,
            name=file.name or "",
            chunks=file.chunks(),
        )
    except services.RefusedFile as refusal:
        form.add_error("file", translated(refusal.args[0]))
        return None


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """Declare the domains and the budget, then ingest."""
    chosen = upload_or_404(request, upload_id)
    if chosen.state != Upload.State.READY:
        return used(request)
    if request.method != "POST":
        typed, imported = services.draft_of(chosen), kept(request, chosen)
        empty = RegistrationForm(chosen.headers, typed=typed, imported=imported)
        return _registration_page(request, chosen, empty)
    form = RegistrationForm(chosen.headers, request.POST)
    if form.is_valid():
        try:
            return _register(request, chosen, form)
        except services.UploadUsed:
            return used(request)
        except InvalidDomain as problem:
            form.refuse(translated(problem.args[0]), field=problem.field)
        except services.RefusedFile as refusal:
            said = translated(refusal.args[0])
            form.refuse(said, field=refusal.field, column=refusal.column)
        except services.FingerprintKeyChanged as refusal:
            form.refuse(str(refusal))
    return _registration_page(request, chosen, form)


def _register(request: HttpRequest, chosen: Upload, form: RegistrationForm) -> HttpResponse:
    membership = membership_of(request)
    registered = services.register_dataset(
        tenant=membership.tenant,
        owner=membership.user,
        upload=chosen,
        declaration=form.declaration(),
    )
    dataset = registered.dataset
    if registered.is_held:
        held = _("{name}: Held for a compliance check.")
        messages.warning(request, held.format(name=dataset.name))
        return redirect("datasets:held", dataset.id)
    budget = dataset.budget
    done = _("{name} is registered. Analysts can ask about it now.")
    messages.success(request, done.format(name=dataset.name))
    if registered.shares_budget:
        messages.warning(
            request,
            _(
                "This data was registered before. The budget belongs to the people in it, so this "
                "dataset shares the earlier budget: its limit is {limit} and {left} of it remains."
            ).format(limit=limit_text(budget), left=amount(budget.remaining_nano, budget.currency)),
        )
    return redirect("datasets:detail", dataset.slug)


@requires(Permission.REGISTER_DATASETS)
@require_POST
def discard(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """Delete an uploaded file that is not registered."""
    chosen = upload_or_404(request, upload_id)
    try:
        services.discard_upload(upload=chosen, user=membership_of(request).user)
    except services.UploadUsed:
        return used(request)
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
    }
    return render(request, "datasets/register.html", context, status=_REFUSED if problems else 200)
