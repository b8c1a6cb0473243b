"""The page that makes a dataset's record for the public registry. It stores nothing."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, dataset_or_404
from dpgov.language.translation import english
from dpgov.oversight.record.record import record_yaml
from dpgov.oversight.web.forms.record import RecordForm
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import as_file, show_page


@requires(Permission.REQUEST_CHANGES)
@require_http_methods(["GET", "HEAD", "POST"])
def record(request: HttpRequest, slug: str) -> HttpResponse:
    """The form, then the record: on the page to read it, or as a file."""
    dataset = dataset_or_404(request, slug)
    if request.method != "POST":
        form = RecordForm(initial=_known(request, dataset))
        return render(request, "oversight/record.html", {"dataset": dataset, "form": form})
    form = RecordForm(request.POST)
    text = ""
    if form.is_valid():
        with english():
            text = record_yaml(dataset, current_version(dataset), form.typed())
        if "file" in request.POST:
            return as_file(text, f"{dataset.slug}.yaml", "application/yaml; charset=utf-8")
    context = {"dataset": dataset, "form": form, "text": text}
    return show_page(request, "oversight/record.html", context, refused=not text)


def _known(request: HttpRequest, dataset: Dataset) -> dict[str, object]:
    membership = membership_of(request)
    return {
        "curators": membership.tenant.name,
        "published": timezone.localdate(dataset.created_at),
        "authors": str(membership.user),
    }
