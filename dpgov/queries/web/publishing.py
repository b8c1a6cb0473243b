"""The pages on which an owner publishes a ready-made question: what it asks, then what is open.

It begins with SQL or with a question that was asked before. Spends nothing, shows no data.
"""

import json
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dpgov.datasets.models import DatasetVersion
from dpgov.datasets.selectors import schema_of, version_or_404
from dpgov.language.translation import translated
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.plan.blanks import blanks_of
from dpgov.privacy.plan.parsing.computed import with_computed
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.problems import Problems
from dpgov.privacy.plan.schema import CategoryDomain
from dpgov.queries.asking.policy import QueryLimitExceeded
from dpgov.queries.models import Query
from dpgov.queries.selectors import get_query, visible_queries
from dpgov.queries.sql.reading import plan_of_sql
from dpgov.queries.sql.text import RefusedSql
from dpgov.queries.web.forms.page import usual_price
from dpgov.queries.web.forms.ready_made import BlankForm, PublishForm, opened
from dpgov.queries.web.forms.rows import plain
from dpgov.queries.web.forms.sql import SqlForm
from dpgov.queries.wording.words import in_words
from dpgov.queries.workbench.ready_made import (
    ReadyMadeDraft,
    ReadyMadeNameTaken,
    TooManyPublished,
    publish,
)
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page
from dpgov.web.typed import as_typed

_LATEST = 8


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, slug: str) -> HttpResponse:
    """What it asks; then what analysts may choose, its name, price and quota."""
    version = version_or_404(request, slug)
    if request.method == "POST" and "plan" in request.POST:
        return _publish(request, version)
    if request.method == "POST":
        return _read(request, version)
    if (known := request.GET.get("from")) is not None:
        return _details(request, version, _asked_before(request, version, known))
    return _begin(request, version)


def _begin(request: HttpRequest, version: DatasetVersion, *problems: str) -> HttpResponse:
    dataset = version.dataset
    unit = dataset.budget.currency.unit
    sent = request.POST if request.method == "POST" else None
    asked = visible_queries(membership_of(request)).filter(dataset=dataset, reuse=False)
    # Tables that are chosen adaptively are asked as a set alone: no form opens them.
    asked = asked.exclude(plan__has_key="adaptive")
    context = {
        "dataset": dataset,
        "form": SqlForm(sent, unit=unit, initial={unit: as_typed(usual_price(dataset))}),
        "problems": problems,
        "asked": [(query.pk, in_words(query.plan)) for query in asked[:_LATEST]],
    }
    return show_page(request, "queries/ready_made/begin.html", context, refused=problems)


def _read(request: HttpRequest, version: DatasetVersion) -> HttpResponse:
    dataset = version.dataset
    form = SqlForm(request.POST, unit=dataset.budget.currency.unit)
    if not form.is_valid():
        return _begin(request, version, *(str(e) for es in form.errors.values() for e in es))
    try:
        plan, arrangement = plan_of_sql(
            form.cleaned_data["sql"],
            dataset=dataset.slug,
            schema=schema_of(version),
            price=form.price,
        )
    except RefusedSql as refusal:
        return _begin(request, version, *map(str, refusal.problems))
    if arrangement:
        return _begin(
            request, version, _("Publish the whole table: readers can arrange it themselves.")
        )
    return _details(request, version, plan.as_json())


def _asked_before(request: HttpRequest, version: DatasetVersion, known: str) -> dict[str, Any]:
    """The plan of a question of this dataset; raises Http404 for every other.

    And for tables that are chosen adaptively, which cannot be published.
    """
    try:
        query = get_query(membership_of(request), UUID(known))
    except (Query.DoesNotExist, ValueError) as missing:
        raise Http404 from missing
    if query.dataset_id != version.dataset_id or "adaptive" in query.plan:
        raise Http404
    plan: dict[str, Any] = query.plan
    return plan


def _details(
    request: HttpRequest,
    version: DatasetVersion,
    plan: dict[str, Any],
    form: PublishForm | None = None,
    blanks: list[BlankForm] | None = None,
    problems: tuple[str, ...] = (),
) -> HttpResponse:
    unit = version.dataset.budget.currency.unit
    price = plain(plan.get(unit, usual_price(version.dataset)))
    context = {
        "dataset": version.dataset,
        "form": form or PublishForm(unit=unit, initial={"price": price}),
        "blanks": blanks if blanks is not None else _blanks(None, plan, version),
        "plan": json.dumps(plan),
        "words": in_words(plan),
        "problems": problems,
    }
    refused = problems or (form is not None and form.errors)
    return show_page(request, "queries/ready_made/publish.html", context, refused=refused)


def _blanks(
    request: HttpRequest | None, plan: dict[str, Any], version: DatasetVersion
) -> list[BlankForm]:
    schema = with_computed(plan, schema_of(version), Problems())
    sent = None if request is None else request.POST
    # A list of numbers stays as it is.
    categories = {c.name for c in schema.columns if isinstance(c.domain, CategoryDomain)}
    return [
        BlankForm(sent, blank=blank, schema=schema, place=place)
        for place, blank in enumerate(blanks_of(plan))
        if not blank.several or blank.column in categories
    ]


def _publish(request: HttpRequest, version: DatasetVersion) -> HttpResponse:
    dataset = version.dataset
    try:
        raw = json.loads(request.POST["plan"])
        known = parse_plan(raw, schema_of(version), dataset=dataset.slug).as_json()
    except (ValueError, RecursionError):
        return _begin(request, version, _("This question cannot be read any more. Begin again."))
    unit = dataset.budget.currency.unit
    form, blanks = PublishForm(request.POST, unit=unit), _blanks(request, known, version)
    # Each is looked at, so that every message stands at its field.
    fine = [one.is_valid() for one in (form, *blanks)]
    if not all(fine):
        return _details(request, version, known, form, blanks)
    typed = form.cleaned_data
    plan, parameters = opened(known, blanks)
    try:
        plan = {key: plan[key] for key in plan if key not in ("epsilon", "rho")}
        publish(
            membership=membership_of(request),
            dataset=dataset,
            draft=ReadyMadeDraft(
                " ".join(typed["name"].split()),
                typed["purpose"],
                {**plan, unit: as_text(typed["price"])},
                parameters,
                typed["per_analyst"],
                typed["altogether"],
            ),
        )
    except (ReadyMadeNameTaken, TooManyPublished) as refusal:
        form.add_error("name", str(refusal))
    except QueryLimitExceeded as refusal:
        form.add_error("price", str(refusal))
    except InvalidPlan as refusal:
        said = tuple(translated(problem.message) for problem in refusal.problems)
        return _details(request, version, known, form, blanks, said)
    else:
        published = _("Published. Who may ask about the dataset finds it on its page.")
        messages.success(request, published)
        return redirect("queries:ready_made", dataset.slug)
    return _details(request, version, known, form, blanks)
