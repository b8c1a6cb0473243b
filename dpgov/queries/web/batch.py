"""Several questions at once: put them aside, price them together, ask all of them or none.

Shows declared metadata and the ledger only. What is put aside is kept in the person's session.
"""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.budgets.allocated import names_of_allocations
from dpgov.datasets.lineage import allocations_for
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, dataset_or_404, schema_of
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.batch import MAX_PLANS
from dpgov.queries.web.forms.batch import QUESTION, BatchForm, batch_of, text_of
from dpgov.queries.web.forms.offer import Offer
from dpgov.queries.web.forms.page import priced_form, refused_form, usual_price
from dpgov.queries.web.forms.sending import NotSent
from dpgov.queries.web.forms.state import filled, row_ids
from dpgov.queries.web.forms.together import offer_together, send_together
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page

Kept = tuple[str, int]


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def put_aside(request: HttpRequest, slug: str) -> HttpResponse:
    """The question of the ask form goes into the batch; it is not asked yet."""
    dataset = dataset_or_404(request, slug)
    form, offer = priced_form(request, dataset)
    if offer.quote is None:
        return refused_form(request, dataset, form, offer)
    kept = _kept(request, dataset)
    if len(kept) >= MAX_PLANS:
        refusal = _("A batch holds at most {most} questions.")
        messages.error(request, refusal.format(most=MAX_PLANS))
    else:
        _keep(
            request, dataset, [*kept, (text_of(offer.quote.plan.as_json()), offer.quote.cost_nano)]
        )
    return redirect("queries:batch", slug=slug)


@requires(Permission.SUBMIT_QUERIES)
@require_http_methods(["GET", "POST"])
def batch(request: HttpRequest, slug: str) -> HttpResponse:
    """The questions that were put aside, with their prices; asks them all when a price is sent."""
    dataset = dataset_or_404(request, slug)
    if request.method != "POST":
        kept = _kept(request, dataset)
        together = sum(nano for _, nano in kept)
        amount = as_text(together) if together else usual_price(dataset)
        texts = [text for text, _ in kept]
        return _page(request, dataset, batch_of(texts, dataset.budget.currency.unit, amount))
    data = request.POST.copy()
    verb, _, row_id = data.get("action", "").partition("_")
    if verb == "remove":
        data.setlist(QUESTION, [i for i in row_ids(data, QUESTION) if i != row_id])
        prices = dict(_kept(request, dataset))
        left = [data.get(f"{QUESTION}-{i}-plan", "") for i in row_ids(data, QUESTION)]
        _keep(request, dataset, [(text, prices.get(text, 0)) for text in left])
    data = filled(data)
    return _ask(request, dataset, data) if "price" in data else _page(request, dataset, data)


def _kept(request: HttpRequest, dataset: Dataset) -> list[Kept]:
    """Each question with the price at which it was put aside: together they begin at the sum."""
    return [(text, nano) for text, nano in request.session.get(_name(dataset), [])]


def _keep(request: HttpRequest, dataset: Dataset, questions: list[Kept]) -> None:
    request.session[_name(dataset)] = questions


def _name(dataset: Dataset) -> str:
    return f"batch:{dataset.pk}"


def _form(request: HttpRequest, dataset: Dataset, data: QueryDict) -> BatchForm:
    allocations = names_of_allocations(allocations_for(membership_of(request).user, dataset))
    mode: Mode = schema_of(current_version(dataset)).mode
    return BatchForm(data, mode=mode, allocations=allocations)


def _ask(request: HttpRequest, dataset: Dataset, data: QueryDict) -> HttpResponse:
    form = _form(request, dataset, data)
    offer = offer_together(request, dataset, form)
    changed = _("The price of this batch is now {price}. Look at it and ask again.")
    used = _("This form was already used for other questions. Press ask to send these.")
    try:
        accepted = send_together(request, dataset, form, offer, data, changed=changed, used=used)
    except NotSent as refusal:
        if refusal.stale:
            return _page(request, dataset, data, refused=True)
        return _render(request, dataset, form, offer, notice=refusal.notice, refused=True)
    _keep(request, dataset, [])
    asked = _("Asked together: {number}. Their answers appear here.")
    messages.success(request, asked.format(number=len(accepted.queries)))
    return redirect(f"{reverse('dashboards:history')}?dataset={dataset.pk}")


def _page(
    request: HttpRequest, dataset: Dataset, data: QueryDict, *, refused: bool = False
) -> HttpResponse:
    form = _form(request, dataset, data)
    return _render(request, dataset, form, offer_together(request, dataset, form), refused=refused)


def _render(
    request: HttpRequest,
    dataset: Dataset,
    form: BatchForm,
    offer: Offer,
    *,
    notice: str = "",
    refused: bool = False,
) -> HttpResponse:
    body = "queries/_batch_quote.html"
    context = {"dataset": dataset, "form": form, "offer": offer, "notice": notice, "body": body}
    part = request.headers.get("HX-Target", "").endswith("batch-quote")
    template = "queries/ask/_quote.html" if part else "queries/batch.html"
    return show_page(request, template, context, refused=refused)
