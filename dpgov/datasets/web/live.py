"""Pages about live tables: connecting one, its role, declaring it anew or its rows refreshed.

For owners. No page shows a password, and only these show where a table is.
"""

from collections.abc import Callable
from typing import TypeVar

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.datasets import services
from dpgov.datasets.models import Dataset, Upload
from dpgov.datasets.selectors import current_version, dataset_or_404
from dpgov.datasets.web.forms.live import CredentialsForm, PlaceForm, RefreshForm, facts
from dpgov.language.translation import translated
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page

T = TypeVar("T")


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters("password")
def connect(request: HttpRequest) -> HttpResponse:
    """Say where a table is, and have its form looked at; then its columns are declared."""
    kinds = services.offered_kinds() or [*services.LIVE_KINDS.values()][:1]
    wanted = request.GET.get("from")
    kind = next((kind for kind in kinds if kind.name == wanted), kinds[0])
    form = PlaceForm(kind, request.POST if request.method == "POST" else None)
    if form.is_valid():
        member = membership_of(request)

        def take() -> Upload:
            return services.connect_table(
                tenant=member.tenant, user=member.user, place=form.place()
            )

        if (found := _tried(form, take)) is not None:
            return redirect("datasets:register", found.pk)
    context = {
        "form": form,
        "kind": kind,
        "others": [other for other in kinds if other is not kind],
        "offered": services.are_offered(),
    }
    return show_page(request, "datasets/live/connect.html", context, refused=form.errors)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters("password")
def live(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the table is, and another password, or role, to read it with."""
    dataset = dataset_or_404(request, slug)
    if (table := dataset.live) is None:
        return _none(request, dataset)
    kind = services.kind_of(table)
    sent = request.POST if request.method == "POST" else None
    form = CredentialsForm(kind, sent, initial={"role": table.role})
    if form.is_valid():

        def replace() -> Dataset:
            services.replace_credentials(
                dataset=dataset, user=membership_of(request).user, **form.cleaned_data
            )
            return dataset

        if _tried(form, replace) is not None:
            messages.success(request, _("The table is read with this from now on."))
            return redirect("datasets:settings", slug)
    context = {"dataset": dataset, "live": table, "facts": facts(kind, table), "form": form}
    return show_page(request, "datasets/live/live.html", context, refused=form.errors)


@requires(Permission.REGISTER_DATASETS)
@require_POST
def declare(request: HttpRequest, slug: str) -> HttpResponse:
    """Look at the table's form again, for a version with other declarations."""
    dataset, form = dataset_or_404(request, slug), forms.Form({})
    found = _tried(
        form,
        lambda: services.begin_declarations(dataset=dataset, user=membership_of(request).user),
    )
    if found is not None:
        return redirect("datasets:add_version", slug, found.pk)
    messages.error(request, " ".join(map(str, form.non_field_errors())))
    return redirect("datasets:versions", slug)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def refresh(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what declaring the rows refreshed does; do it once it is confirmed."""
    dataset = dataset_or_404(request, slug)
    if dataset.live_id is None:
        return _none(request, dataset)
    form = RefreshForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        return _refreshed(request, dataset, form.cleaned_data["version"])
    context = {"dataset": dataset, "form": form, "newest": current_version(dataset)}
    return show_page(request, "datasets/live/refresh.html", context, refused=form.errors)


def _refreshed(request: HttpRequest, dataset: Dataset, since: int) -> HttpResponse:
    """What becomes of it is said on the page that lists versions, or on the same one again."""
    try:
        found = services.declare_refresh(
            dataset=dataset, since=since, user=membership_of(request).user
        )
    except services.RefusedRefresh as refusal:
        messages.error(request, str(refusal))
        return redirect("datasets:refresh_live", dataset.slug)
    except Dataset.DoesNotExist as gone:
        raise Http404 from gone
    if found.is_new:
        words = _("Version {number} stands for the rows from now on.")
        messages.success(request, words.format(number=found.version.number))
    else:
        words = _(
            "You declared version {number} already. If the rows were refreshed since, declare it "
            "once more."
        )
        messages.info(request, words.format(number=found.version.number))
    return redirect("datasets:versions", dataset.slug)


def _none(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    return show_page(request, "datasets/live/none.html", {"dataset": dataset}, refused=None)


def _tried(form: forms.Form, work: Callable[[], T]) -> T | None:
    """What came of it; None where the form says why nothing did."""
    try:
        return work()
    except services.RefusedTable as refusal:
        field = refusal.field if refusal.field in form.fields else None
        words = translated(refusal.args[0])
        form.add_error(field, f"{refusal.column}: {words}" if refusal.column else words)
    except services.TooManyTries as refusal:
        form.add_error(None, str(refusal))
    except services.Busy:
        form.add_error(None, _("Too many tables are being looked at now. Try again in a minute."))
    except Dataset.DoesNotExist as gone:
        raise Http404 from gone
    return None
