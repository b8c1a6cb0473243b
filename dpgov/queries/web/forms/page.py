"""The ask form as every page around it shows it: read, priced, refused, filled in.

Shows declared metadata and the ledger only.
"""

from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict

from dpgov.budgets.allocated import Allocations, names_of_allocations
from dpgov.budgets.charging import lifetime
from dpgov.datasets.fitting import all_rows, fit, policies_shown
from dpgov.datasets.lineage import allocations_for, governing, read_parents
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.rules import least_price_nano, rules_shown
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO, as_text
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.queries.asking.quote import Quote, quote
from dpgov.queries.web.forms import state
from dpgov.queries.web.forms.ask import AskForm
from dpgov.queries.web.forms.offer import Offer, offer_for
from dpgov.queries.wording.notebook import question_lines
from dpgov.tenants.permissions import membership_of
from dpgov.web.pages import show_page
from dpgov.web.typed import as_typed

_USUAL_EPSILON = NANO // 2


@dataclass(frozen=True, slots=True)
class Ground:
    """What a price in one request is made of, read once."""

    version: DatasetVersion
    schema: DatasetSchema
    allocations: Allocations

    @property
    def dataset(self) -> Dataset:
        """Whose version it is."""
        return self.version.dataset


def ground_of(request: HttpRequest, version: DatasetVersion) -> Ground:
    """Reads what a price in this request is made of."""
    allocations = allocations_for(membership_of(request).user, version.dataset)
    return Ground(version, schema_of(version), allocations)


def offer_on(request: HttpRequest, ground: Ground, form: AskForm) -> Offer:
    """The price of the form, or its problems."""
    user = membership_of(request).user

    def priced(body: dict[str, Any]) -> Quote:
        return quote(
            user=user,
            dataset=ground.dataset,
            raw_plan=body,
            assumed_rows=form.assumed_rows,
            allocation_id=form.allocation_id,
            version=ground.version,
            allocations=ground.allocations,
        )

    return offer_for(form, priced, ground.dataset, user, form.schema)


def charging(request: HttpRequest, ground: Ground, data: QueryDict) -> QueryDict:
    """Charge what this person charged last on this dataset, else what they usually would."""
    allocations, last = ground.allocations, request.session.get(remembered(ground.dataset))
    usual = [
        str(allocation.pk)
        for allocation in allocations
        if allocation.user_id or len(allocations) == 1
    ]
    known = [str(allocation.pk) for allocation in allocations]
    data["allocation"] = last if last in known else next(iter(usual), "")
    return data


def usual_price(dataset: Dataset) -> str:
    """What a new question begins at, in the dataset's currency.

    What a count may cost under the policy, its own limit and those of its parents, without a
    permit: as far as these were read with it. What fits under all limits is said with the price;
    `blank_page` begins there.
    """
    read_parents([dataset])
    currency = dataset.budget.currency
    usual = currency.price_of(_USUAL_EPSILON)
    policy = policies_shown([dataset], None, clock.today())[dataset.pk]
    own = [lifetime(one.budget) for one in governing(dataset)]
    fits = fit(policy, own, all_rows(dataset)).nano or min(usual, policy.rules.per_query_nano)
    return as_text(max(currency.tidy_limit(min(usual, fits)), policy.least_nano))


def remembered(dataset: Dataset) -> str:
    """Where the session keeps what was charged last."""
    return f"allocation:{dataset.budget_id}"


def form_on(ground: Ground, data: QueryDict) -> AskForm:
    """The form with this data in it."""
    allocations = names_of_allocations(ground.allocations)
    return AskForm(data, ground.schema, dataset=ground.dataset.slug, allocations=allocations)


def notebook_of(request: HttpRequest, dataset: Dataset, form: AskForm, offer: Offer) -> str:
    """The same question in Python; nothing while it cannot be priced."""
    if offer.quote is None:
        return ""
    return question_lines(
        offer.quote.plan.as_json(),
        slug=dataset.slug,
        server=request.build_absolute_uri("/").rstrip("/"),
        form_key=form.data.get("key", ""),
        allocation_id=form.allocation_id,
    )


def priced_form(request: HttpRequest, dataset: Dataset) -> tuple[AskForm, Offer]:
    """The posted ask form with its price or its problems."""
    ground = ground_of(request, current_version(dataset))
    form = form_on(ground, request.POST)
    return form, offer_on(request, ground, form)


def refused_form(
    request: HttpRequest, dataset: Dataset, form: AskForm, offer: Offer, notice: str = ""
) -> HttpResponse:
    """The ask page with the messages at its fields."""
    return _render(request, dataset, form, offer, notice=notice, refused=True)


def form_with(
    request: HttpRequest, dataset: Dataset, form: AskForm, offer: Offer, **more: Any
) -> HttpResponse:
    """The ask page as it was posted, with something beside its price."""
    return _render(request, dataset, form, offer, **more)


def show_form(
    request: HttpRequest, dataset: Dataset, data: QueryDict, schema: DatasetSchema
) -> HttpResponse:
    """The ask page with this form in it, as if it had been filled in by hand."""
    ground = replace(ground_of(request, current_version(dataset)), schema=schema)
    return form_page(request, ground, charging(request, ground, data), quiet=True)


def form_page(
    request: HttpRequest, ground: Ground, data: QueryDict, *, quiet: bool
) -> HttpResponse:
    """The page with this form and its price."""
    form = form_on(ground, data)
    return _render(request, ground.dataset, form, offer_on(request, ground, form), quiet=quiet)


def blank_page(request: HttpRequest, ground: Ground) -> HttpResponse:
    """The page with an empty form at the usual price, or the largest that fits if that is less.

    An allocation, a shared budget or a rate may have less left than the dataset itself.
    """
    dataset = ground.dataset
    currency = dataset.budget.currency
    data = charging(request, ground, state.blank(currency.unit, usual_price(dataset)))
    form = form_on(ground, data)
    offer = offer_on(request, ground, form)
    if offer.quote is not None and 0 < offer.quote.largest_fit_nano < offer.quote.cost_nano:
        fits = currency.tidy_limit(offer.quote.largest_fit_nano)
        least = least_price_nano(dataset, rules_shown(dataset))
        data[currency.unit] = as_typed(as_text(max(fits, least)))
        return form_page(request, ground, data, quiet=True)
    return _render(request, dataset, form, offer, quiet=True)


def _render(
    request: HttpRequest,
    dataset: Dataset,
    form: AskForm,
    offer: Offer,
    *,
    notice: str = "",
    quiet: bool = False,
    refused: bool = False,
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
        "most_rows": state.MOST_ROWS,
        "lines": notebook_of(request, dataset, form, offer),
        **more,
    }
    template = (
        "queries/ask/_form.html" if request.headers.get("HX-Request") else "queries/ask/ask.html"
    )
    return show_page(request, template, context, refused=refused)
