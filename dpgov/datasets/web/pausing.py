"""Pages on which owners pause all questions about a dataset, and resume them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.datasets import services
from dpgov.datasets.lineage import derived_of
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import dataset_or_404
from dpgov.datasets.web.forms.changes import PauseForm
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def pause(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what a pause does; begin it once a reason is given."""
    dataset = dataset_or_404(request, slug)
    form = PauseForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            services.pause_questions(
                dataset=dataset,
                user=membership_of(request).user,
                reason=form.cleaned_data["reason"],
            )
        except Dataset.DoesNotExist:
            messages.info(request, _("Questions about this dataset were paused before."))
        else:
            paused = _("All questions about {name} are paused.")
            messages.success(request, paused.format(name=dataset.name))
        return redirect("datasets:detail", slug)
    stopping = [one for one in derived_of(dataset) if one.held_at is None]
    context = {"dataset": dataset, "form": form, "derived": stopping}
    return show_page(request, "datasets/lifetime/pause.html", context, refused=form.errors)


@requires(Permission.REGISTER_DATASETS)
@require_POST
def resume(request: HttpRequest, slug: str) -> HttpResponse:
    """End the pause; the button stands in the banner that says so."""
    dataset = dataset_or_404(request, slug)
    try:
        services.resume_questions(dataset=dataset, user=membership_of(request).user)
    except Dataset.DoesNotExist:
        messages.info(request, _("Questions about this dataset are not paused."))
    else:
        resumed = _("Questions about {name} are answered again.")
        messages.success(request, resumed.format(name=dataset.name))
    return redirect("datasets:detail", slug)
