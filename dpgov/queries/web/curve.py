"""The curve of price against error beside the price: asked for once for each question.

Shows declared metadata, the ledger and plans of stored answers; spends and stores nothing.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from dpgov.datasets.selectors import dataset_or_404
from dpgov.queries.asking.curve import curve_of
from dpgov.queries.asking.policy import policy_for
from dpgov.queries.web.forms.curves import points_of, shown
from dpgov.queries.web.forms.page import form_with, priced_form, refused_form
from dpgov.tenants.permissions import Permission, membership_of, requires


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def curve(request: HttpRequest, slug: str) -> HttpResponse:
    """The posted form's curve: a part of the page, or all of it where there are no scripts."""
    dataset = dataset_or_404(request, slug)
    form, offer = priced_form(request, dataset)
    in_part = bool(request.headers.get("HX-Request"))
    priced = offer.quote
    if priced is None and not in_part:
        return refused_form(request, dataset, form, offer)
    found = None
    if priced is not None:
        policy = policy_for(dataset, membership_of(request).user)
        found = curve_of(priced, policy, assumed_rows=form.assumed_rows)
    more = {
        "curve": shown(found, priced.cost_nano) if found and priced else None,
        "curve_points": points_of(found) if found else [],
        "curve_asked": True,
    }
    if in_part:
        return render(request, "queries/ask/_curve.html", {"dataset": dataset, **more})
    return form_with(request, dataset, form, offer, **more)
