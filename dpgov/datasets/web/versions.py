"""Pages on which an owner gives a dataset a new version. The budget stays as it is."""

from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from dpgov.datasets import selectors, services, uploaded
from dpgov.datasets.models import Arrival, Column, Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import dataset_or_404
from dpgov.datasets.tasks import wake
from dpgov.datasets.uploaded import upload_or_404, used
from dpgov.datasets.web.forms.filling import around_the_grid
from dpgov.datasets.web.forms.importing import kept
from dpgov.datasets.web.forms.registration import VersionForm, as_posted
from dpgov.language.translation import retold, translated
from dpgov.operation.middleware import drops_nul
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.lists import PER_PAGE
from dpgov.web.pages import show_page


@requires(Permission.REGISTER_DATASETS)
@require_safe
def versions(request: HttpRequest, slug: str) -> HttpResponse:
    """Every version, and the files that could become the next one."""
    dataset = dataset_or_404(request, slug)
    membership = membership_of(request)
    pages = Paginator(dataset.versions.order_by("-number"), PER_PAGE)
    context = {
        "dataset": dataset,
        "versions": pages.get_page(request.GET.get("page")),
        "newest": selectors.current_version(dataset),
        "uploads": uploaded.uploads_of(membership.tenant, membership.user).filter(
            live=dataset.live_id
        ),
    }
    return render(request, "datasets/versions.html", context)


@drops_nul
@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def add_version(request: HttpRequest, slug: str, upload_id: UUID) -> HttpResponse:
    """Declare the columns of the file, then ingest it as the newest version."""
    dataset = dataset_or_404(request, slug)
    chosen = upload_or_404(request, upload_id)
    if chosen.state != Upload.State.READY:
        return used(request)
    arrival = uploaded.arrival_of(chosen)
    if arrival is not None and arrival.is_running:
        return redirect("datasets:reading", upload_id)
    newest = selectors.current_version(dataset)
    earlier = newest.columns.all()
    if request.method != "POST":
        return _page(request, newest, chosen, _begun(dataset, chosen, earlier, arrival))
    form = VersionForm(chosen.headers, request.POST, earlier=earlier)
    if form.is_valid():
        try:
            return _ask(request, newest, chosen, form)
        except services.UploadUsed:
            return used(request)
        except (
            InvalidDomain,
            services.DraftTooLarge,
            services.TooManyFiles,
            services.FingerprintKeyChanged,
        ) as refusal:
            form.refuse(translated(refusal.args[0]))
    return _page(request, newest, chosen, form)


def _ask(
    request: HttpRequest, newest: DatasetVersion, chosen: Upload, form: VersionForm
) -> HttpResponse:
    services.ask_version(
        dataset=newest.dataset,
        upload=chosen,
        columns=form.specs(),
        append_rows=form.append_rows,
        compared_with=newest.number,
        user=membership_of(request).user,
        typed=request.POST,
    )
    wake()
    return redirect("datasets:reading", chosen.id)


def _begun(
    dataset: Dataset, chosen: Upload, earlier: QuerySet[Column], arrival: Arrival | None
) -> VersionForm:
    """With what was declared before, or what was typed and why a worker refused it."""
    outcome = uploaded.refusal_of(arrival)
    if not outcome or arrival is None or arrival.dataset_id != dataset.pk:
        typed = services.draft_of(chosen)
        mine = typed if typed.get("version_of") == dataset.slug else None
        return VersionForm(chosen.headers, earlier=earlier, typed=mine)
    typed = as_posted(services.draft_of(chosen))
    form = VersionForm(chosen.headers, typed, earlier=earlier)
    form.is_valid()
    form.refuse(retold(outcome), column=outcome["column"])
    return form


def _page(
    request: HttpRequest, newest: DatasetVersion, chosen: Upload, form: VersionForm
) -> HttpResponse:
    problems = list(form.problems()) if form.dataset.is_bound else []
    user = membership_of(request).user
    why_not = services.why_not_append(newest, user)
    context = {
        "dataset": newest.dataset,
        "upload": chosen,
        "form": form,
        "problems": problems,
        "ends_parts": services.ends_parts(newest.dataset, user),
        "why_not_append": translated(why_not) if why_not else "",
        "imported": kept(request, chosen),
        **form.compared(newest.dataset),
        **around_the_grid(request, chosen),
    }
    return show_page(
        request,
        "datasets/registering/add_version.html",
        context,
        refused=problems and request.method == "POST",
    )
