"""The page that reads column metadata of other tools into the registration form.

Declares nothing: what was read is put into the person's own draft, which they look at.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from dpgov.datasets import services
from dpgov.datasets.importing import LARGEST_BYTES
from dpgov.datasets.intake import MemoryHandler
from dpgov.datasets.models import Upload
from dpgov.datasets.uploaded import upload_or_404, used
from dpgov.datasets.web.forms.filling import form_of, put
from dpgov.datasets.web.forms.importing import MetadataForm, keep
from dpgov.tenants.permissions import Permission, membership_of, requires, requires_still
from dpgov.web.pages import show_page


@csrf_exempt  # the token is checked in `_read`, after the bytes have a bound
@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def import_columns(request: HttpRequest, upload_id: Any) -> HttpResponseBase:
    """Choose a file with metadata; what it says fills in the registration form."""
    handler = MemoryHandler(request, largest=LARGEST_BYTES)
    request.upload_handlers = [handler]
    return _read(request, upload_or_404(request, upload_id), handler)


@csrf_protect
@requires_still(Permission.REGISTER_DATASETS)
def _read(request: HttpRequest, chosen: Upload, handler: MemoryHandler) -> HttpResponse:
    if chosen.state != Upload.State.READY:
        return used(request)
    form = MetadataForm()
    if request.method == "POST":
        form = MetadataForm(request.POST, request.FILES, headers=chosen.headers)
        if handler.too_large:
            form.errors.clear()
            largest = _("The file is larger than {kilobytes} KB.")
            form.add_error("file", largest.format(kilobytes=LARGEST_BYTES // 1000))
        if form.is_valid() and form.filled is not None:
            keep(request, chosen, form.filled)
            typed = put(services.draft_of(chosen), chosen.headers, form.filled)
            typed.setdefault("version_of", request.GET.get("version-of", ""))
            services.keep_draft(upload=chosen, typed=typed)
            return redirect(form_of(membership_of(request), chosen, typed["version_of"]))
    context: dict[str, Any] = {"upload": chosen, "form": form, "largest": LARGEST_BYTES // 1000}
    return show_page(request, "datasets/registering/import.html", context, refused=form.errors)
