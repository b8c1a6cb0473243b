"""Archived datasets, deleting data for good, and the day on which that happens by itself."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from dpgov.datasets import services
from dpgov.datasets.lineage import derived_of
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import archived_datasets, dataset_or_404, old_version_or_404
from dpgov.datasets.web.forms.changes import DeleteDataForm, RetentionForm
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page

# Why the data of a version is still needed.
_NEEDED = (
    services.NoFile,
    services.QuestionsOnTheirWay,
    services.RowsInDerived,
    services.SameRowsAsNewest,
)


@requires(Permission.REGISTER_DATASETS)
@require_safe
def archived(request: HttpRequest) -> HttpResponse:
    """The archived datasets, and whether their data is still there."""
    found = archived_datasets(membership_of(request).tenant)
    return render(request, "datasets/archived.html", {"datasets": found})


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def delete_data(request: HttpRequest, archived_id: UUID) -> HttpResponse:
    """Say what goes and what stays; delete once the name is typed."""
    membership = membership_of(request)
    found = archived_datasets(membership.tenant).filter(data_deleted_at__isnull=True)
    dataset = found.filter(pk=archived_id).first()
    if dataset is None:
        raise Http404
    form = DeleteDataForm(request.POST if request.method == "POST" else None, name=dataset.name)
    if form.is_valid():
        try:
            services.delete_data(dataset=dataset, user=membership.user)
        except services.QuestionsOnTheirWay as refusal:
            form.add_error(None, str(refusal))
        except Dataset.DoesNotExist as gone:
            raise Http404 from gone
        else:
            deleted = _("The data of {name} is deleted.")
            messages.success(request, deleted.format(name=dataset.name))
            return redirect("datasets:archived")
    files = dataset.versions.filter(data_deleted_at__isnull=True).count()
    derived = services.holding_rows_of(dataset)
    context = {"dataset": dataset, "form": form, "files": files, "derived": derived}
    return show_page(request, "datasets/delete_data.html", context, refused=form.errors)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def delete_version(request: HttpRequest, slug: str, version_number: int) -> HttpResponse:
    """The same for one version that questions are not asked of any more."""
    dataset = dataset_or_404(request, slug)
    version = old_version_or_404(dataset, version_number)
    form = DeleteDataForm(request.POST if request.method == "POST" else None, name=dataset.name)
    if form.is_valid():
        try:
            services.delete_version_data(version=version, user=membership_of(request).user)
        except _NEEDED as refusal:
            form.add_error(None, str(refusal))
        except DatasetVersion.DoesNotExist as gone:
            raise Http404 from gone
        else:
            deleted = _("The data of version {number} is deleted.")
            messages.success(request, deleted.format(number=version.number))
            return redirect("datasets:versions", slug)
    also = [each for each in services.same_rows(version) if each != version]
    context = {"dataset": dataset, "version": version, "also": also, "form": form}
    return show_page(request, "datasets/lifetime/delete_version.html", context, refused=form.errors)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def retention(request: HttpRequest, slug: str) -> HttpResponse:
    """Say until when the data is kept, and what happens then."""
    dataset = dataset_or_404(request, slug)
    sent = request.POST if request.method == "POST" else None
    form = RetentionForm(sent, initial={"last_day": dataset.kept_until})
    if form.is_valid():
        user = membership_of(request).user
        try:
            services.keep_until(dataset=dataset, last_day=form.cleaned_data["last_day"], user=user)
        except services.TooSoon as refusal:
            form.add_error("last_day", str(refusal))
        except Dataset.DoesNotExist as gone:
            raise Http404 from gone
        else:
            messages.success(request, _("Until when the data is kept is changed."))
            return redirect("datasets:settings", slug)
    context = {"dataset": dataset, "form": form, "derived": derived_of(dataset)}
    return show_page(request, "datasets/lifetime/retention.html", context, refused=form.errors)
