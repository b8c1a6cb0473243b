"""Pages of terms of use: everybody reads them, an owner sets them, who asks accepts them.

Shows what owners wrote and who accepted it when; never data.
"""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dpgov.datasets import services
from dpgov.datasets.models import Dataset, TermsOfUse
from dpgov.datasets.rules import acceptances_of, accepted_at, in_force, versions_of
from dpgov.datasets.selectors import dataset_or_404
from dpgov.datasets.web.forms.terms import AcceptTermsForm, TermsForm
from dpgov.tenants.permissions import Permission, may, membership_of, requires
from dpgov.web.pages import show_page

_PAGE = 25


@requires(Permission.VIEW_DATASETS)
@require_safe
def terms(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest version, or the one that `?version=` names; to owners also who accepted it."""
    dataset = dataset_or_404(request, slug)
    versions = versions_of(dataset)
    shown = _asked_for(request, dataset)
    context: dict[str, Any] = {"dataset": dataset, "shown": shown, "newest": versions.first()}
    if shown is not None:
        membership = membership_of(request)
        context["accepted"] = accepted_at(shown, membership.user)
        if may(membership, Permission.VIEW_SPLIT_BY_ANALYST):
            everybody = Paginator(acceptances_of(shown), _PAGE)
            context["page"] = everybody.get_page(request.GET.get("page"))
    return render(request, "datasets/terms/terms.html", context)


def _asked_for(request: HttpRequest, dataset: Dataset) -> TermsOfUse | None:
    """Raises Http404 for a version that there never was."""
    named, versions = request.GET.get("version", ""), versions_of(dataset)
    if not named:
        return versions.select_related("set_by").first()
    number = int(named) if named.isascii() and named.isdigit() and len(named) < 10 else 0
    found = versions.select_related("set_by").filter(number=number).first()
    if found is None:
        raise Http404
    return found


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def set_terms(request: HttpRequest, slug: str) -> HttpResponse:
    """Write the next version; it begins with the text of the one in force."""
    dataset = dataset_or_404(request, slug)
    now = in_force(dataset.pk)
    sent = request.POST if request.method == "POST" else None
    form = TermsForm(sent, initial={"text": now.text if now else ""})
    if form.is_valid():
        try:
            written = services.set_terms(
                dataset=dataset, text=form.cleaned_data["text"], user=membership_of(request).user
            )
        except (services.SameTerms, services.TermsTooLong) as refusal:
            form.add_error("text", str(refusal))
        except Dataset.DoesNotExist as missing:
            raise Http404 from missing
        else:
            messages.success(request, _said_of(written))
            return redirect("datasets:terms", slug)
    context = {"dataset": dataset, "form": form, "now": now}
    return show_page(request, "datasets/terms/set.html", context, refused=form.errors)


def _said_of(written: TermsOfUse) -> str:
    if not written.text:
        return _("There are no terms of use from now on. What was accepted is kept.")
    in_words = _("Version {number} holds: it has to be accepted before the next question.")
    return in_words.format(number=written.number)


@requires(Permission.ACCEPT_TERMS)
@require_POST
def accept(request: HttpRequest, slug: str) -> HttpResponse:
    """Accept the version that was shown, and go on where the person was."""
    dataset = dataset_or_404(request, slug)
    form, user = AcceptTermsForm(request.POST), membership_of(request).user
    if not form.is_valid():
        return _refused(request, dataset, form)
    try:
        number = form.cleaned_data["version"]
        services.accept_terms(dataset=dataset, number=number, user=user)
    except services.NotInForce as refusal:
        # What was ticked was another text: this one is read and ticked anew.
        return _refused(request, dataset, AcceptTermsForm(), str(refusal))
    except Dataset.DoesNotExist as missing:
        raise Http404 from missing
    if request.headers.get("HX-Request"):
        return render(request, "datasets/terms/_accepted.html", {"dataset": dataset})
    messages.success(request, _("You accepted the terms of use. You can ask now."))
    return redirect(_back(request) or reverse("datasets:terms", args=[slug]))


def _refused(
    request: HttpRequest, dataset: Dataset, form: AcceptTermsForm, refusal: str = ""
) -> HttpResponse:
    terms, back = in_force(dataset.pk), _back(request)
    if terms is None:
        refusal = refusal or str(services.NotInForce(0, None))
    in_part = request.headers.get("HX-Request")
    context = {"dataset": dataset, "terms": terms, "form": form, "refusal": refusal, "back": back}
    template = "datasets/terms/_accept.html" if in_part else "datasets/terms/accept.html"
    return show_page(request, template, context, refused=True)


def _back(request: HttpRequest) -> str:
    """Where the person was, if that is a page of ours."""
    back = request.POST.get("back", "")
    safe = url_has_allowed_host_and_scheme(
        back, {request.get_host()}, require_https=request.is_secure()
    )
    return back if safe and back.startswith("/") else ""
