"""The ask page: compose a question, see its price, send it once.

Shows declared metadata and the ledger only. Whatever is refused changes nothing.
"""

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.budgets.charging import (
    AllocationNeeded,
    ChooseAllocation,
    Grants,
    allocations_of,
    names_of_grants,
)
from dpgov.budgets.errors import NotAdmitted
from dpgov.datasets.lookup import version_or_404
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.rules import least_price_nano, rules_shown
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.budget import NANO, as_text
from dpgov.privacy.schema import DatasetSchema
from dpgov.queries import forms_state
from dpgov.queries.forms import AskForm
from dpgov.queries.forms_again import from_plan
from dpgov.queries.models import Query, SavedQuestion
from dpgov.queries.notebook import question_lines
from dpgov.queries.offer import Offer, offer_for, same_price
from dpgov.queries.saved import get_saved
from dpgov.queries.selectors import get_query
from dpgov.queries.submit import (
    IdempotencyConflict,
    InvalidKey,
    QueryLimitExceeded,
    submit,
)
from dpgov.tenants.permissions import Permission, requires
from dpgov.tenants.requests import membership_of

_USUAL_EPSILON = NANO // 2


@requires(Permission.SUBMIT_QUERIES)
@require_http_methods(["GET", "POST"])
def ask(request: HttpRequest, slug: str) -> HttpResponse:
    """The form. Adding rows and looking at the price are POSTs too, so it works without scripts."""
    ground = _ground(request, version_or_404(request, slug))
    if request.method != "POST":
        return _page(request, ground, _starting_data(request, ground), quiet=True)
    data = _with_changes(request.POST, ground.schema)
    if "price" in request.POST:
        return _ask(request, ground, data)
    quiet = request.POST.get("action", "price") != "price"
    return _page(request, ground, data, quiet=quiet)


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def quote(request: HttpRequest, slug: str) -> HttpResponse:
    """The price of the form as it stands: a fragment for the page to swap in."""
    ground = _ground(request, version_or_404(request, slug))
    form, dataset = _form(ground, request.POST), ground.dataset
    offer = _offer(request, ground, form)
    lines = _notebook(request, dataset, form, offer)
    context = {"offer": offer, "dataset": dataset, "lines": lines}
    return render(request, "queries/_quote.html", context)


@dataclass(frozen=True, slots=True)
class _Ground:
    """What a price in one request is made of, read once."""

    version: DatasetVersion
    schema: DatasetSchema
    grants: Grants

    @property
    def dataset(self) -> Dataset:
        """Whose version it is."""
        return self.version.dataset


def _ground(request: HttpRequest, version: DatasetVersion) -> _Ground:
    grants = allocations_of(membership_of(request).user, version.dataset.budget_id)
    return _Ground(version, schema_of(version), grants)


def _offer(request: HttpRequest, ground: _Ground, form: AskForm) -> Offer:
    user = membership_of(request).user
    return offer_for(form, ground.dataset, user, version=ground.version, grants=ground.grants)


def _starting_data(request: HttpRequest, ground: _Ground) -> QueryDict:
    """An empty form, or the plan of the question named by `?again=`, if this person may see it."""
    dataset, schema = ground.dataset, ground.schema
    if again := request.GET.get("again"):
        try:
            query = get_query(membership_of(request), UUID(again))
        except (Query.DoesNotExist, ValueError, ValidationError) as missing:
            raise Http404 from missing
        if query.dataset_id == dataset.pk:
            return _charging(request, ground, from_plan(query.plan, schema))
    if saved := request.GET.get("saved"):
        return _charging(request, ground, from_plan(_saved_plan(request, dataset, saved), schema))
    currency = dataset.budget.currency
    usual = currency.price_of(_USUAL_EPSILON)
    fitting = min(usual, dataset.per_query_limit_nano, dataset.budget.remaining_nano or usual)
    begin = max(currency.tidy_limit(fitting), least_price_nano(dataset, rules_shown(dataset)))
    return _charging(request, ground, forms_state.blank(currency.unit, as_text(begin)))


def _saved_plan(request: HttpRequest, dataset: Dataset, saved_id: str) -> dict[str, Any]:
    """The plan of a saved question of this person's own; raises Http404 for every other."""
    try:
        saved = get_saved(membership_of(request), UUID(saved_id))
    except (SavedQuestion.DoesNotExist, ValueError) as missing:
        raise Http404 from missing
    if saved.dataset_id != dataset.pk:
        raise Http404
    plan: dict[str, Any] = saved.plan
    return plan


def _charging(request: HttpRequest, ground: _Ground, data: QueryDict) -> QueryDict:
    """Charge what this person charged last on this dataset, else what they usually would."""
    grants, last = ground.grants, request.session.get(_remembered(ground.dataset))
    usual = [str(grant.pk) for grant in grants if grant.user_id or len(grants) == 1]
    known = [str(grant.pk) for grant in grants]
    data["allocation"] = last if last in known else next(iter(usual), "")
    return data


def _remembered(dataset: Dataset) -> str:
    return f"allocation:{dataset.budget_id}"


def _form(ground: _Ground, data: QueryDict) -> AskForm:
    allocations = names_of_grants(ground.grants)
    return AskForm(data, ground.schema, dataset=ground.dataset.slug, allocations=allocations)


def _with_changes(posted: QueryDict, schema: DatasetSchema) -> QueryDict:
    return forms_state.filled(forms_state.changed(posted, posted.get("action", ""), schema))


def _ask(request: HttpRequest, ground: _Ground, data: QueryDict) -> HttpResponse:
    form, dataset = _form(ground, data), ground.dataset
    offer = _offer(request, ground, form)
    if offer.raw_plan is None:
        return _refused(request, dataset, form, offer, "")
    if not same_price(offer, str(data.get("price"))):
        changed = _("The price of this question is now {price}. Look at it and ask again.")
        notice = changed.format(price=offer.price_words)
        return _refused(request, dataset, form, offer, notice)
    try:
        submission = submit(
            membership=membership_of(request),
            dataset=dataset,
            raw_plan=offer.raw_plan,
            idempotency_key=data.get("key", ""),
            allocation_id=form.allocation_id,
        )
    except (IdempotencyConflict, InvalidKey):
        data["key"] = forms_state.new_key()
        notice = _("This form was already used for another question. Press ask to send this one.")
        return _refused(request, dataset, form, offer, notice)
    except (NotAdmitted, QueryLimitExceeded, AllocationNeeded, ChooseAllocation):
        # Somebody else may have spent since the form was read: read and price it again.
        ground = _ground(request, version_or_404(request, dataset.slug))
        form, dataset = _form(ground, data), ground.dataset
        offer = _offer(request, ground, form)
        return _refused(request, dataset, form, offer, "")
    if form.allocation_id is not None:
        request.session[_remembered(dataset)] = str(form.allocation_id)
    return redirect("queries:detail", query_id=submission.query.pk)


def _notebook(request: HttpRequest, dataset: Dataset, form: AskForm, offer: Offer) -> str:
    """The same question in Python; nothing while it cannot be priced."""
    if offer.quote is None:
        return ""
    return question_lines(
        offer.quote.plan.as_json(),
        slug=dataset.slug,
        server=request.build_absolute_uri("/").rstrip("/"),
        form_key=form.data.get("key", ""),
    )


def _refused(
    request: HttpRequest, dataset: Dataset, form: AskForm, offer: Offer, notice: str
) -> HttpResponse:
    return _render(request, dataset, form, offer, notice=notice, status=422)


def priced_form(request: HttpRequest, dataset: Dataset) -> tuple[AskForm, Offer]:
    """The posted ask form with its price or its problems."""
    ground = _ground(request, current_version(dataset))
    form = _form(ground, request.POST)
    return form, _offer(request, ground, form)


def refused_form(
    request: HttpRequest, dataset: Dataset, form: AskForm, offer: Offer, notice: str = ""
) -> HttpResponse:
    """The ask page with the messages at its fields."""
    return _refused(request, dataset, form, offer, notice)


def form_with(
    request: HttpRequest, dataset: Dataset, form: AskForm, offer: Offer, **more: Any
) -> HttpResponse:
    """The ask page as it was posted, with something beside its price."""
    return _render(request, dataset, form, offer, **more)


def show_form(
    request: HttpRequest, dataset: Dataset, data: QueryDict, schema: DatasetSchema
) -> HttpResponse:
    """The ask page with this form in it, as if it had been filled in by hand."""
    ground = replace(_ground(request, current_version(dataset)), schema=schema)
    return _page(request, ground, _charging(request, ground, data), quiet=True)


def _page(request: HttpRequest, ground: _Ground, data: QueryDict, *, quiet: bool) -> HttpResponse:
    form = _form(ground, data)
    return _render(request, ground.dataset, form, _offer(request, ground, form), quiet=quiet)


def _render(
    request: HttpRequest,
    dataset: Dataset,
    form: AskForm,
    offer: Offer,
    *,
    notice: str = "",
    quiet: bool = False,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """`quiet` leaves the fields unmarked while the person is still building the question."""
    context = {
        "dataset": dataset,
        "form": form,
        "offer": offer,
        "notice": notice,
        "quiet": quiet,
        "least_nano": least_price_nano(dataset, rules_shown(dataset)),
        "most_rows": forms_state.MOST_ROWS,
        "lines": _notebook(request, dataset, form, offer),
        **more,
    }
    template = "queries/_form.html" if request.headers.get("HX-Request") else "queries/ask.html"
    return render(request, template, context, status=status)
