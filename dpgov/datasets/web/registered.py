"""Pages about registered datasets: what is declared, and what their owners may change.

Each view asks the selectors or calls one service; a foreign dataset looks like a missing one.
"""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from dpgov.budgets.errors import LimitBelowCommitted
from dpgov.datasets import selectors, services, uploaded
from dpgov.datasets.held import held_datasets
from dpgov.datasets.lineage import derived_of, with_its_budget
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import dataset_or_404
from dpgov.datasets.status import status_now, statuses_of
from dpgov.datasets.web.forms.changes import AccessForm, DescriptionForm, LimitForm, NameForm
from dpgov.language.translation import in_a_row
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may, membership_of, requires
from dpgov.web.pages import show_page

_DATASETS_PAGE = 40


@requires(Permission.VIEW_DATASETS)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Every dataset of the tenant; for an owner also the files that wait for registration."""
    membership = membership_of(request)
    datasets = Paginator(selectors.datasets_of(membership), _DATASETS_PAGE)
    page = datasets.get_page(request.GET.get("page"))
    shown = list(page)
    statuses = statuses_of(shown)
    context = {
        "datasets": page,
        "cards": [(one, statuses[one.pk]) for one in shown],
        "uploads": uploaded.uploads_of(membership.tenant, membership.user),
        "held": _held(membership),
    }
    return render(request, "datasets/list.html", context)


def _held(membership: Membership) -> QuerySet[Dataset]:
    """To analysts and administrators held datasets look missing."""
    held = held_datasets(membership)
    return held if may(membership, Permission.REQUEST_CHANGES) else held.none()


@requires(Permission.VIEW_DATASETS)
@require_safe
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    """What is public about one dataset."""
    dataset = dataset_or_404(request, slug)
    version = selectors.current_version(dataset)
    context = {
        "dataset": dataset,
        "version": version,
        "columns": version.columns.all(),
        "status": status_now(dataset),
    }
    return render(request, "datasets/detail.html", context)


@requires(Permission.REGISTER_DATASETS)
@require_safe
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """What its owner may change, with the present values."""
    dataset = dataset_or_404(request, slug)
    context = {"dataset": dataset, "version": selectors.current_version(dataset)}
    return render(request, "datasets/settings.html", context)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def describe(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the description."""
    dataset = dataset_or_404(request, slug)
    form = DescriptionForm(request.POST or None, initial={"description": dataset.description})
    if request.method == "POST" and form.is_valid():
        services.describe_dataset(
            dataset=dataset,
            description=form.cleaned_data["description"],
            user=membership_of(request).user,
        )
        messages.success(request, _("The description is changed."))
        return redirect("datasets:detail", slug)
    return _page(request, "datasets/describe.html", dataset, form)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def rename(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the name; the address stays."""
    dataset = dataset_or_404(request, slug)
    form = NameForm(request.POST or None, initial={"name": dataset.name})
    who = membership_of(request)
    name = form.cleaned_data["name"] if form.is_valid() else ""
    if name and (other := selectors.namesake(who, name, but=dataset)):
        form.refuse(other)
    elif name:
        services.rename_dataset(dataset=dataset, name=name, user=who.user)
        messages.success(request, _("The dataset is called {name} now.").format(name=name))
        return redirect("datasets:detail", slug)
    return _page(request, "datasets/rename.html", dataset, form)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def access(request: HttpRequest, slug: str) -> HttpResponse:
    """Say whether an allocation is needed to ask."""
    dataset = dataset_or_404(request, slug)
    sent = request.POST if request.method == "POST" else None
    form = AccessForm(sent, initial={"needs_allocation": dataset.needs_allocation})
    if form.is_valid():
        services.set_needs_allocation(
            dataset=dataset,
            needed=form.cleaned_data["needs_allocation"],
            user=membership_of(request).user,
        )
        messages.success(request, _("Who may ask is changed."))
        return redirect("datasets:detail", slug)
    return _page(request, "datasets/access.html", dataset, form)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def limit(request: HttpRequest, slug: str) -> HttpResponse:
    """Lower the limit on ε, once the page has said what that means."""
    dataset = dataset_or_404(request, slug)
    form = LimitForm(request.POST or None, budget=dataset.budget)
    if form.is_confirmed:
        try:
            services.lower_limit(
                dataset=dataset,
                limit_nano=form.cleaned_data["epsilon_limit"],
                user=membership_of(request).user,
                reason=form.cleaned_data["reason"],
            )
        except (services.LimitNotLowered, LimitBelowCommitted) as refusal:
            form.add_error("epsilon_limit", str(refusal))
        else:
            messages.success(request, _("The limit is lowered."))
            return redirect("datasets:detail", slug)
    sharing = in_a_row([one.name for one in with_its_budget(dataset)])
    context = {"dataset": dataset, "form": form, "sharing": sharing}
    return show_page(request, "datasets/limit.html", context, refused=form.errors)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def archive(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for confirmation, then take the dataset out of use."""
    dataset = dataset_or_404(request, slug)
    if request.method != "POST":
        derived = derived_of(dataset)
        context = {"derived": derived, "paused": services.why_not_archive(dataset, derived)}
        return render(request, "datasets/archive.html", {"dataset": dataset, **context})
    try:
        services.archive_dataset(dataset=dataset, user=membership_of(request).user)
    except Dataset.DoesNotExist as gone:
        raise Http404 from gone
    except services.PausedDataset as refusal:
        messages.error(request, str(refusal))
        return redirect("datasets:detail", slug)
    archived = _("{name} is archived. Nobody can ask about it any more.")
    messages.success(request, archived.format(name=dataset.name))
    return redirect("datasets:list")


def _page(request: HttpRequest, template: str, dataset: Dataset, form: forms.Form) -> HttpResponse:
    return show_page(request, template, {"dataset": dataset, "form": form}, refused=form.errors)
