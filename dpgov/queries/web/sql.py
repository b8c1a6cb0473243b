"""The page for those who know SQL: a text in, the ask form with its price out. Spends nothing."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.datasets.rules import least_price_nano, rules_shown
from dpgov.datasets.selectors import version_or_404
from dpgov.privacy.plan.plan import Plan
from dpgov.queries.arranging.arrangement import Arrangement
from dpgov.queries.sql.derived import asked_of
from dpgov.queries.sql.reading import plan_of_sql
from dpgov.queries.sql.statistics import FUNCTIONS
from dpgov.queries.sql.text import RefusedSql, SqlProblem
from dpgov.queries.sql.writing import example, words_of
from dpgov.queries.web.forms.page import (
    Ground,
    charging,
    form_on,
    ground_of,
    offer_on,
    show_form,
    usual_price,
)
from dpgov.queries.web.forms.sql import SqlForm
from dpgov.queries.web.forms.state import from_plan
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page
from dpgov.web.typed import as_typed

_PRICE = "queries/sql/_price.html"


@requires(Permission.SUBMIT_QUERIES)
@require_http_methods(["GET", "POST"])
def ask_sql(request: HttpRequest, slug: str) -> HttpResponse:
    """The text; what can be read leads to the form that asks the same."""
    ground = ground_of(request, version_or_404(request, slug))
    dataset, unit = ground.dataset, ground.dataset.budget.currency.unit
    if request.method != "POST":
        text = example(dataset.slug, ground.schema)
        form = SqlForm(None, unit=unit, initial={"sql": text, unit: as_typed(usual_price(dataset))})
        return _page(request, ground, form)
    form = SqlForm(request.POST, unit=unit)
    try:
        asked, plan, arrangement = _read(request, form, ground)
    except RefusedSql as refusal:
        return _page(request, ground, form, *refusal.problems)
    filled = from_plan(plan.as_json(), asked.schema)
    filled["shown"] = arrangement.as_query()
    return show_form(request, asked.dataset, filled, asked.schema)


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def sql_price(request: HttpRequest, slug: str) -> HttpResponse:
    """The price of the text as it stands: a fragment for the page to swap in."""
    ground = ground_of(request, version_or_404(request, slug))
    form = SqlForm(request.POST, unit=ground.dataset.budget.currency.unit)
    context: dict[str, object] = {"dataset": ground.dataset}
    try:
        asked, plan, _arrangement = _read(request, form, ground)
    except RefusedSql as refusal:
        return render(request, _PRICE, context | {"problems": refusal.problems})
    filled = charging(request, asked, from_plan(plan.as_json(), asked.schema))
    offer = offer_on(request, asked, form_on(asked, filled))
    return render(request, _PRICE, {"dataset": asked.dataset, "offer": offer})


def _read(request: HttpRequest, form: SqlForm, ground: Ground) -> tuple[Ground, Plan, Arrangement]:
    """What the text asks, at its own price or at the one beside it. Raises RefusedSql.

    Of a JOIN it is the dataset that was derived from both.
    """
    if not form.is_valid():
        said = [str(message) for messages in form.errors.values() for message in messages]
        raise RefusedSql(*(SqlProblem(1, 1, message) for message in said))
    text = form.cleaned_data["sql"]
    meant = asked_of(text, ground.version, membership_of(request))
    asked = ground if meant.version is ground.version else ground_of(request, meant.version)
    plan, arrangement = plan_of_sql(
        text,
        dataset=asked.dataset.slug,
        schema=asked.schema,
        price=form.price,
        tables=meant.tables,
    )
    return asked, plan, arrangement


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """One line of the text, and what is wrong in it."""

    number: int
    text: str
    problems: list[SqlProblem]


def _page(
    request: HttpRequest, ground: Ground, form: SqlForm, *problems: SqlProblem
) -> HttpResponse:
    text = str(form["sql"].value() or "")
    lines = [
        MarkedLine(number, line, [p for p in problems if p.line == number])
        for number, line in enumerate(text.split("\n"), start=1)
    ]
    words = words_of(ground.dataset.slug, ground.schema, unit=form.unit)
    context = {
        "dataset": ground.dataset,
        "form": form,
        "words": words,
        "dated": next((column for column in words["columns"] if column["periods"]), None),
        "functions": FUNCTIONS,
        "problems": problems,
        "marked": [line for line in lines if line.problems],
        "least_nano": least_price_nano(ground.dataset, rules_shown(ground.dataset)),
    }
    return show_page(request, "queries/sql/ask_sql.html", context, refused=problems)
