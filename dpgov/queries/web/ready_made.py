"""Pages of ready-made questions: the list, with a form and a button for each, and withdrawing.

Shows declared metadata, what an owner wrote and what quotas leave; never data.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dpgov.budgets.allocated import names_of_allocations
from dpgov.budgets.words import question
from dpgov.datasets.lineage import allocations_for
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import dataset_or_404, schema_of, version_or_404
from dpgov.privacy.plan.parameters import sample
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.asking.once import IdempotencyConflict, InvalidKey
from dpgov.queries.asking.ready_made import Offered, Withdrawn, filled_in, offered_to
from dpgov.queries.asking.submit import submit_ready_made
from dpgov.queries.models import ReadyMade
from dpgov.queries.web.forms.offer import StatisticOffer, statistics_offered
from dpgov.queries.web.forms.ready_made import FillForm, template_in_words
from dpgov.queries.web.forms.sending import REFUSALS
from dpgov.queries.workbench.ready_made import NotAnOwner, withdraw
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page


@dataclass(frozen=True, slots=True)
class ReadyMadeRow:
    """One of the list; `refusal` is why it was not asked just now."""

    offered: Offered
    form: FillForm
    words: str
    price: str
    statistics: list[StatisticOffer]
    refusal: str = ""

    @property
    def ready_made(self) -> ReadyMade:
        """What was published."""
        return self.offered.ready_made


@requires(Permission.VIEW_DATASETS)
@require_safe
def index(request: HttpRequest, slug: str) -> HttpResponse:
    """The ready-made questions of a dataset; analysts ask them here."""
    return _page(request, version_or_404(request, slug))


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def ask(request: HttpRequest, slug: str, ready_made_id: UUID) -> HttpResponse:
    """Ask one with what was filled in, once per form."""
    version, membership = version_or_404(request, slug), membership_of(request)
    rows = _rows(request, version, ready_made_id)
    row = next((one for one in rows if one.ready_made.pk == ready_made_id), None)
    if row is None:
        return _gone(request, version.dataset, ready_made_id)
    form, refusal = row.form, ""
    if not form.is_valid():
        return _page(request, version, form, ready_made_id)
    allocation = form.cleaned_data.get("allocation")
    try:
        asked = submit_ready_made(
            membership=membership,
            dataset=version.dataset,
            ready_made_id=ready_made_id,
            values=form.values(),
            idempotency_key=form.cleaned_data["key"],
            allocation_id=UUID(allocation) if allocation else None,
        )
    except InvalidPlan as problem:
        form.place(problem)
    except (IdempotencyConflict, InvalidKey):
        refusal = _("This form was already used for another question. Open the page again.")
    except REFUSALS as problem:
        refusal = str(problem)
    else:
        return redirect("queries:detail", query_id=asked.query.pk)
    return _page(request, version, form, ready_made_id, refusal)


def _gone(request: HttpRequest, dataset: Dataset, ready_made_id: UUID) -> HttpResponse:
    """Withdrawn since the page was opened; what was never there is missing."""
    if not ReadyMade.objects.filter(dataset=dataset, pk=ready_made_id).exists():
        raise Http404
    messages.warning(request, str(Withdrawn()))
    return redirect("queries:ready_made", dataset.slug)


@requires(Permission.REGISTER_DATASETS)
@require_POST
def take_back(request: HttpRequest, slug: str, ready_made_id: UUID) -> HttpResponse:
    """Withdraw one; what was asked goes on."""
    dataset = dataset_or_404(request, slug)
    try:
        found = withdraw(
            membership=membership_of(request), dataset=dataset, ready_made_id=ready_made_id
        )
    except (ReadyMade.DoesNotExist, NotAnOwner) as missing:
        raise Http404 from missing
    withdrawn = _("“{name}” is withdrawn. What was asked before is answered.")
    messages.success(request, withdrawn.format(name=found.name))
    return redirect("queries:ready_made", slug)


def _rows(
    request: HttpRequest, version: DatasetVersion, filled: UUID | None = None
) -> list[ReadyMadeRow]:
    """Each with its form; the one that was filled in has what was posted."""
    user, dataset, schema = membership_of(request).user, version.dataset, schema_of(version)
    allocations = names_of_allocations(allocations_for(user, dataset))
    found = []
    for one in offered_to(user, dataset):
        mine = one.ready_made.pk == filled
        form = FillForm(
            request.POST if mine else None,
            plan=one.ready_made.plan,
            parameters=one.parameters,
            schema=schema,
            allocations=allocations,
            auto_id=f"id_{one.ready_made.pk.hex}_%s",
        )
        found.append(
            ReadyMadeRow(
                one,
                form,
                template_in_words(one.ready_made.plan),
                question(one.ready_made.cost_nano, dataset.budget.currency),
                _statistics(one, version),
            )
        )
    return found


def _statistics(one: Offered, version: DatasetVersion) -> list[StatisticOffer]:
    """The errors to expect, for some values; nothing where a newer version does not know it."""
    try:
        values = sample(one.ready_made.plan, one.parameters)
        asked = filled_in(one.ready_made, values, version)
    except InvalidPlan:
        return []
    return statistics_offered(asked.blueprints[0].describe(None))


def _page(
    request: HttpRequest,
    version: DatasetVersion,
    form: FillForm | None = None,
    ready_made_id: UUID | None = None,
    refusal: str = "",
) -> HttpResponse:
    dataset: Dataset = version.dataset
    rows = [
        ReadyMadeRow(row.offered, form, row.words, row.price, row.statistics, refusal)
        if form is not None and row.ready_made.pk == ready_made_id
        else row
        for row in _rows(request, version)
    ]
    context: dict[str, Any] = {"dataset": dataset, "rows": rows}
    refused = refusal or (form is not None and form.errors)
    return show_page(request, "queries/ready_made/list.html", context, refused=refused)
