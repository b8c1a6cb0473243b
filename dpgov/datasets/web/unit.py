"""The page on which an owner says how much of each person is used. The budget stays as it is."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dpgov.datasets import services
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import dataset_or_404
from dpgov.datasets.web.forms.unit import UnitBoundsForm
from dpgov.language.translation import translated
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def unit_bounds(request: HttpRequest, slug: str) -> HttpResponse:
    """Other limits make a new version over the same data; `?max_rows_per_unit=` proposes one."""
    dataset = dataset_or_404(request, slug)
    if request.method != "POST":
        now = {
            name: getattr(dataset, name) for name in ("max_rows_per_unit", "max_groups_per_unit")
        }
        proposed = {name: request.GET[name] for name in now if name in request.GET}
        return _page(request, dataset, UnitBoundsForm(initial=now | proposed))
    form = UnitBoundsForm(request.POST)
    if form.is_valid():
        rows, groups = form.bounds
        try:
            version = services.change_unit_bounds(
                dataset=dataset,
                max_rows=rows,
                max_groups=groups,
                user=membership_of(request).user,
            )
        except InvalidDomain as refusal:
            known = refusal.field in form.fields
            form.add_error(
                refusal.field if known else "max_rows_per_unit", translated(refusal.args[0])
            )
        except Dataset.DoesNotExist as gone:
            raise Http404 from gone
        else:
            messages.success(
                request,
                _(
                    "Version {number} is there, with the same data. Questions are asked of it from "
                    "now on."
                ).format(number=version.number),
            )
            return redirect("datasets:detail", slug)
    return _page(request, dataset, form)


def _page(request: HttpRequest, dataset: Dataset, form: UnitBoundsForm) -> HttpResponse:
    return show_page(
        request, "datasets/unit.html", {"dataset": dataset, "form": form}, refused=form.errors
    )
