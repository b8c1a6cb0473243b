"""The page on which an owner says who sees a dataset."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dpgov.datasets import services
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import dataset_or_404
from dpgov.datasets.web.forms.audience import AudienceForm
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def audience(request: HttpRequest, slug: str) -> HttpResponse:
    """Who sees it now, and the form that changes it."""
    dataset, user = dataset_or_404(request, slug), membership_of(request).user
    sent = request.POST if request.method == "POST" else None
    form = AudienceForm(sent, dataset=dataset, owner=user)
    if form.is_valid() and _changed(dataset, form, request):
        messages.success(request, _("Who sees this dataset is changed."))
        return redirect("datasets:audience", slug)
    context = {"dataset": dataset, "form": form}
    return show_page(request, "datasets/audience.html", context, refused=form.errors)


def _changed(dataset: Dataset, form: AudienceForm, request: HttpRequest) -> bool:
    user = membership_of(request).user
    try:
        services.change_audience(
            dataset=dataset, named_only=form.named_only, named=form.people, user=user
        )
    except (services.OwnNaming, services.NoAnalyst, services.TooManyViewers) as refusal:
        form.add_error("named", str(refusal))
    except Dataset.DoesNotExist as missing:
        raise Http404 from missing
    return not form.errors
