"""Helps an owner choose how many rows of each person are used: from beliefs, or from one question.

The question is one like any other: charged, answered with noise, noted. Nothing else is read.
"""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import most_per_question
from dpgov.datasets.selectors import current_version, dataset_or_404, schema_of
from dpgov.language.translation import translated
from dpgov.privacy.accounting.decimals import NANO, as_text
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.answer.unit_choice import EDGES, LimitPrice, above_noise, prices, size_bins
from dpgov.privacy.plan.grouping import LARGEST_SIZE, ROWS_PER_UNIT
from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.asking.once import IdempotencyConflict, InvalidKey
from dpgov.queries.asking.submit import submit
from dpgov.queries.kinds import kind_of
from dpgov.queries.models import Query
from dpgov.queries.selectors import PublicState, visible_queries, visible_release, with_public_state
from dpgov.queries.web.forms import state as forms_state
from dpgov.queries.web.forms.sending import REFUSALS
from dpgov.queries.web.forms.units import BeliefForm, SizesQuestionForm
from dpgov.queries.wording.numbers import accuracy_at
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page
from dpgov.web.typed import as_typed

_SMALL = NANO // 10


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def unit_rows(request: HttpRequest, slug: str) -> HttpResponse:
    """Both ways on one page; a POST asks the small question."""
    dataset = dataset_or_404(request, slug)
    if request.method != "POST":
        return _page(request, dataset, SizesQuestionForm(initial=_usual(dataset)))
    form = SizesQuestionForm(request.POST)
    if form.is_valid():
        try:
            _ask(membership_of(request), dataset, form.cleaned_data)
            return redirect("queries:unit_rows", slug)
        except InvalidPlan as refusal:
            form.add_error("epsilon", " ".join(translated(one.message) for one in refusal.problems))
        except (IdempotencyConflict, InvalidKey):
            form.add_error("epsilon", _("This form was used before. Load the page again."))
        except REFUSALS as refusal:
            form.add_error("epsilon", str(refusal))
    return _page(request, dataset, form)


def _ask(membership: Membership, dataset: Dataset, data: dict[str, Any]) -> None:
    submit(
        membership=membership,
        dataset=dataset,
        raw_plan=sizes_plan(as_text(data["epsilon"])),
        idempotency_key=data["key"],
    )


def sizes_plan(epsilon: str) -> dict[str, Any]:
    """How many people have how many rows; the last bin is for all with more."""
    grouping = {"column": ROWS_PER_UNIT, "edges": [*EDGES, LARGEST_SIZE]}
    return {
        "statistics": [{"statistic": "count_distinct"}],
        "group_by": [grouping],
        "epsilon": epsilon,
    }


def _usual(dataset: Dataset) -> dict[str, str]:
    most = dataset.budget.currency.question(most_per_question(dataset))
    return {"epsilon": as_typed(as_text(min(_SMALL, most))), "key": forms_state.new_key()}


def _page(request: HttpRequest, dataset: Dataset, form: SizesQuestionForm) -> HttpResponse:
    usual = {"epsilon": as_typed(as_text(NANO // 2)), "part": "100"}
    belief = BeliefForm(request.GET if "part" in request.GET else usual)
    asked = belief.is_valid()
    query, counted = _counted(membership_of(request), dataset)
    believed = belief.believed() if asked else None
    context = {
        "dataset": dataset,
        "form": form,
        "belief": belief,
        "query": query,
        "waiting": query is not None and counted is None,
        "from_answer": _prices(dataset, counted, belief) if asked and counted else [],
        "from_belief": _prices(dataset, believed, belief) if asked and believed else [],
    }
    return show_page(
        request, "queries/unit_rows.html", context, refused=form.errors or belief.errors
    )


def _prices(dataset: Dataset, people: list[float], belief: BeliefForm) -> list[LimitPrice]:
    data = belief.cleaned_data
    currency = dataset.budget.currency
    return prices(
        size_bins(people),
        group_size=dataset.group_size,
        loss=Loss(currency.mode, currency.price_of(data["epsilon"])),
        part=float(data["part"]) / 100,
    )


def _counted(membership: Membership, dataset: Dataset) -> tuple[Query | None, list[float] | None]:
    """The newest such question that did not end in vain, and its answer once it is there."""
    schema = schema_of(current_version(dataset))
    if schema.index_of(ROWS_PER_UNIT) is not None:
        return None, None
    own = visible_queries(membership).filter(dataset=dataset, kind=kind_of(sizes_plan("1")))
    for state in (PublicState.WAITING, PublicState.RELEASED):
        for query in with_public_state(own, state):
            if query.plan["group_by"] == sizes_plan("1")["group_by"]:
                release = visible_release(query)
                return query, None if release is None else _people(json.loads(release.body))
    return None, None


def _people(body: dict[str, Any]) -> list[float]:
    """Numbers of people by bin: the last of them and those above the last edge are one."""
    (statistic,) = body["statistics"]
    values = [float(cell["value"]) for cell in statistic["cells"]]
    bound = accuracy_at(statistic["cells"][0]["accuracy"], USUAL_STATED) or 0.0
    return above_noise(values[: len(EDGES)], float(bound))
