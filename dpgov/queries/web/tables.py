"""The page of a set of tables: composed, priced in every way to draw it, asked whole or not at all.

Shows declared metadata and the ledger only.
"""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dpgov.budgets.allocated import names_of_allocations
from dpgov.datasets.lineage import allocations_for
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, dataset_or_404, schema_of
from dpgov.queries.web.forms.offer import Offer
from dpgov.queries.web.forms.page import usual_price
from dpgov.queries.web.forms.sending import NotSent
from dpgov.queries.web.forms.state import changed, filled, new_key
from dpgov.queries.web.forms.tables import TablesForm, blank_tables
from dpgov.queries.web.forms.together import offer_together, send_together
from dpgov.queries.web.forms.ways import (
    adaptive_shown,
    answers_shown,
    ways_shown,
    work_shown,
)
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page


@requires(Permission.SUBMIT_QUERIES)
@require_http_methods(["GET", "POST"])
def tables(request: HttpRequest, slug: str) -> HttpResponse:
    """The form with its price; asks the whole set when a price is sent."""
    dataset = dataset_or_404(request, slug)
    if request.method != "POST":
        unit, amount = dataset.budget.currency.unit, usual_price(dataset)
        schema = schema_of(current_version(dataset))
        return _page(request, dataset, blank_tables(schema, unit, amount, new_key()))
    schema = schema_of(current_version(dataset))
    data = filled(changed(request.POST, request.POST.get("action", ""), schema))
    return _ask(request, dataset, data) if "price" in data else _page(request, dataset, data)


def _form(request: HttpRequest, dataset: Dataset, data: QueryDict) -> TablesForm:
    allocations = names_of_allocations(allocations_for(membership_of(request).user, dataset))
    return TablesForm(data, schema_of(current_version(dataset)), allocations=allocations)


def _ask(request: HttpRequest, dataset: Dataset, data: QueryDict) -> HttpResponse:
    form = _form(request, dataset, data)
    offer = offer_together(request, dataset, form)
    is_now = _("The price of these tables is now {price}. Look at it and ask again.")
    used = _("This form was already used for other tables. Press ask to send these.")
    try:
        accepted = send_together(request, dataset, form, offer, data, changed=is_now, used=used)
    except NotSent as refusal:
        if refusal.stale:
            return _page(request, dataset, data, refused=True)
        return _render(request, dataset, form, offer, notice=refusal.notice, refused=True)
    asked = _("Tables asked together: {number}. Their answers appear by themselves.")
    messages.success(request, asked.format(number=len(accepted.queries)))
    return redirect("queries:detail", query_id=accepted.queries[0].pk)


def _page(
    request: HttpRequest, dataset: Dataset, data: QueryDict, *, refused: bool = False
) -> HttpResponse:
    form = _form(request, dataset, data)
    return _render(request, dataset, form, offer_together(request, dataset, form), refused=refused)


def _render(
    request: HttpRequest,
    dataset: Dataset,
    form: TablesForm,
    offer: Offer,
    *,
    notice: str = "",
    refused: bool = False,
) -> HttpResponse:
    cover = offer.quote.cover if offer.quote else None
    context = {
        "dataset": dataset,
        "form": form,
        "offer": offer,
        "notice": notice,
        "body": "queries/tables/_quote.html",
        "ways": ways_shown(cover),
        "adaptive": adaptive_shown(cover),
        "answers": answers_shown(cover),
        "work": work_shown(offer.quote),
    }
    return show_page(request, _part_of(request), context, refused=refused)


def _part_of(request: HttpRequest) -> str:
    """Only what is swapped in, where a script asks for it."""
    target = request.headers.get("HX-Target", "")
    if target.endswith("tables-quote"):
        return "queries/ask/_quote.html"
    return f"queries/tables/{'_form' if target.endswith('ask-form') else 'ask'}.html"
