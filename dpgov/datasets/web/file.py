"""Pages about a file before it counts: how it is read, and how it fits what is declared.

Its uploader's own, and nobody else's. What the check finds is in the page that it answers with,
and nowhere after that.
"""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.datasets import selectors, services
from dpgov.datasets.models import Upload
from dpgov.datasets.selectors import dataset_or_404
from dpgov.datasets.uploaded import file_or_404, used
from dpgov.datasets.web.forms.file import ReadingForm, how_read, lines_of
from dpgov.datasets.web.forms.filling import around_the_grid, form_of
from dpgov.datasets.web.forms.registration import RegistrationForm, VersionForm
from dpgov.language.translation import translated
from dpgov.operation.middleware import drops_nul
from dpgov.privacy.plan.schema import ColumnSpec
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page

_SWITCH = "decimal"
# What the page of the check asks for itself.
_ANEW = frozenset({_SWITCH, "without"})


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def reading_of(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """What was understood of the file, and how to read it otherwise."""
    chosen = file_or_404(request, upload_id)
    if chosen.state != Upload.State.READY:
        return used(request)
    form = ReadingForm(chosen, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            services.read_differently(upload=chosen, wanted=form.wanted())
            return redirect(_next_step(request, chosen))
        except services.UploadUsed:
            return used(request)
        except services.UploadBusy:
            return redirect("datasets:reading", upload_id)
        except services.RefusedFile as refusal:
            form.add_error(None, translated(refusal.args[0]))
        except services.Busy:
            form.add_error(None, _too_many())
    context = {
        "upload": chosen,
        "form": form,
        "understood": list(how_read(chosen)),
        "next": _next_step(request, chosen),
    }
    return show_page(request, "datasets/registering/file.html", context, refused=form.errors)


def _next_step(request: HttpRequest, chosen: Upload) -> str:
    return form_of(membership_of(request), chosen, request.GET.get("version-of", ""))


def _too_many() -> str:
    return _("Too many files are being looked at now. Try again in a minute.")


@drops_nul
@requires(Permission.REGISTER_DATASETS)
@require_POST
def check(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """How the file fits what is declared so far, in coarse words; what was typed is kept."""
    chosen = file_or_404(request, upload_id)
    if chosen.state != Upload.State.READY:
        return used(request)
    form = RegistrationForm(chosen.headers, request.POST)
    own = reverse("datasets:register", args=[chosen.pk])
    where = {"back": own, "go_on": reverse("datasets:review", args=[chosen.pk])}
    return _checked(request, chosen, form, "datasets/registering/register.html", where)


@drops_nul
@requires(Permission.REGISTER_DATASETS)
@require_POST
def check_version(request: HttpRequest, slug: str, upload_id: UUID) -> HttpResponse:
    """The same for the file of a new version."""
    dataset, chosen = dataset_or_404(request, slug), file_or_404(request, upload_id)
    if chosen.state != Upload.State.READY:
        return used(request)
    newest = selectors.current_version(dataset)
    form = VersionForm(chosen.headers, request.POST, earlier=newest.columns.all())
    own = reverse("datasets:add_version", args=[dataset.slug, chosen.pk])
    where = {"back": own, "go_on": own, "dataset": dataset, **form.compared(dataset)}
    return _checked(request, chosen, form, "datasets/registering/add_version.html", where)


def _checked(
    request: HttpRequest,
    chosen: Upload,
    form: RegistrationForm,
    declaring: str,
    where: dict[str, Any],
) -> HttpResponse:
    """The page of the check; that of the declarations where it cannot be made."""
    form.is_valid()
    specs = {column.spec.name: column.spec for column in form.columns if column.spec}
    found = None
    if not any(column.errors for column in form.columns):
        try:
            found = _found(request, chosen, form, specs)
        except (services.UploadUsed, services.UploadBusy):
            return used(request)
    if found is None:
        context = {
            "upload": chosen,
            "form": form,
            "problems": list(form.problems()),
            **around_the_grid(request, chosen),
            **where,
        }
        return show_page(request, declaring, context, refused=True)
    user = membership_of(request).user
    context = {
        "upload": chosen,
        "lines": lines_of(found, specs),
        "whole": found.whole,
        "left": services.checks_left(chosen, user),
        "form": form,
        "fields": [(n, v) for n, v in services.typed_in(request.POST).items() if n not in _ANEW],
        "other_mark": "." if chosen.reading.get("decimal") == "," else ",",
        **where,
    }
    return render(request, "datasets/registering/check.html", context)


def _found(
    request: HttpRequest, chosen: Upload, form: RegistrationForm, specs: dict[str, ColumnSpec]
) -> Any:
    """What the check says; None where the form says why there is none."""
    try:
        mark = request.POST.get(_SWITCH, "")
        if mark in (".", ","):
            chosen.reading = services.read_differently(
                upload=chosen, wanted={"decimal": mark}
            ).reading
        found = services.check_file(
            upload=chosen,
            user=membership_of(request).user,
            columns=tuple(specs.values()),
            private_id=_private_id(form, chosen),
        )
        services.keep_draft(upload=chosen, typed=request.POST)
        return found
    except services.RefusedFile as refusal:
        form.refuse(translated(refusal.args[0]), field=refusal.field, column=refusal.column)
    except (services.TooManyChecks, services.DraftTooLarge) as refusal:
        form.refuse(str(refusal))
    except services.Busy:
        form.refuse(_too_many())
    return None


def _private_id(form: RegistrationForm, chosen: Upload) -> str | None:
    data = form.dataset.cleaned_data
    named = data.get("private_id") if data.get("unit") == "person" else None
    return named if named in chosen.headers else None
