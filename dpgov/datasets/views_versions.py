"""Pages on which an owner gives a dataset a new version. The budget stays as it is."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from dpgov.datasets import selectors, services
from dpgov.datasets.forms_registration import VersionForm
from dpgov.datasets.lookup import dataset_or_404, upload_or_404, used
from dpgov.datasets.models import Dataset, Upload
from dpgov.privacy.schema import InvalidDomain
from dpgov.tenants.language import translated
from dpgov.tenants.permissions import Permission, requires
from dpgov.tenants.requests import membership_of

_REFUSED = 422


@requires(Permission.REGISTER_DATASETS)
@require_safe
def versions(request: HttpRequest, slug: str) -> HttpResponse:
    """Every version, and the files that could become the next one."""
    dataset = dataset_or_404(request, slug)
    membership = membership_of(request)
    context = {
        "dataset": dataset,
        "versions": dataset.versions.order_by("-number"),
        "uploads": selectors.uploads_of(membership.tenant, membership.user),
    }
    return render(request, "datasets/versions.html", context)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def add_version(request: HttpRequest, slug: str, upload_id: UUID) -> HttpResponse:
    """Declare the columns of the file, then ingest it as the newest version."""
    dataset = dataset_or_404(request, slug)
    chosen = upload_or_404(request, upload_id)
    if chosen.state != Upload.State.READY:
        return used(request)
    earlier = selectors.current_version(dataset).columns.all()
    if request.method != "POST":
        return _page(request, dataset, chosen, VersionForm(chosen.headers, earlier=earlier))
    form = VersionForm(chosen.headers, request.POST, earlier=earlier)
    if form.is_valid():
        try:
            return _add(request, dataset, chosen, form)
        except services.UploadUsed:
            return used(request)
        except Dataset.DoesNotExist as gone:
            raise Http404 from gone
        except services.RefusedFile as refusal:
            form.refuse(translated(refusal.args[0]), column=refusal.column)
        except (InvalidDomain, services.FingerprintKeyChanged) as refusal:
            form.refuse(translated(refusal.args[0]))
    return _page(request, dataset, chosen, form)


def _add(request: HttpRequest, dataset: Dataset, chosen: Upload, form: VersionForm) -> HttpResponse:
    version = services.add_version(
        dataset=dataset, upload=chosen, columns=form.specs(), user=membership_of(request).user
    )
    messages.success(
        request,
        _("Version {number} is there. Questions are asked of it from now on.").format(
            number=version.number
        ),
    )
    return redirect("datasets:detail", dataset.slug)


def _page(
    request: HttpRequest, dataset: Dataset, chosen: Upload, form: VersionForm
) -> HttpResponse:
    problems = list(form.problems()) if form.dataset.is_bound else []
    context = {"dataset": dataset, "upload": chosen, "form": form, "problems": problems}
    status = _REFUSED if problems else 200
    return render(request, "datasets/add_version.html", context, status=status)
