"""The page for those who know SQL: a text in, the ask form with its price out. Spends nothing."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, dataset_or_404, schema_of
from dpgov.privacy.plan.schema import CategoryDomain, DatasetSchema
from dpgov.queries.sql.reading import plan_of_sql
from dpgov.queries.sql.statistics import FUNCTIONS
from dpgov.queries.sql.text import RefusedSql, SqlProblem
from dpgov.queries.web.forms.page import show_form
from dpgov.queries.web.forms.state import from_plan
from dpgov.tenants.permissions import Permission, requires
from dpgov.web.pages import show_page


@requires(Permission.SUBMIT_QUERIES)
@require_http_methods(["GET", "POST"])
def ask_sql(request: HttpRequest, slug: str) -> HttpResponse:
    """The text; what can be read leads to the form that asks the same."""
    dataset = dataset_or_404(request, slug)
    schema = schema_of(current_version(dataset))
    if request.method != "POST":
        return _page(request, dataset, schema, example(dataset, schema))
    text = request.POST.get("sql", "")
    try:
        plan = plan_of_sql(text, dataset=dataset.slug, schema=schema)
    except RefusedSql as refusal:
        return _page(request, dataset, schema, text, *refusal.problems)
    return show_form(request, dataset, from_plan(plan.as_json(), schema), schema)


def example(dataset: Dataset, schema: DatasetSchema) -> str:
    """A text that can be asked of this dataset, from its declared columns alone."""
    groups = [c.name for c in schema.columns if isinstance(c.domain, CategoryDomain)][:1]
    numbers = [c.name for c in schema.columns if not isinstance(c.domain, CategoryDomain)][:1]
    shown = [*map(_quoted, groups), "COUNT(*)", *(f"AVG({_quoted(name)})" for name in numbers)]
    lines = [f"SELECT {', '.join(shown)}", f"FROM {_quoted(dataset.slug)}"]
    lines += [f"GROUP BY {_quoted(name)}" for name in groups]
    return "\n".join([*lines, "WITH EPSILON 0.5"])


def _quoted(name: str) -> str:
    plain = name.isascii() and name.replace("_", "a").isalnum() and not name[:1].isdigit()
    return name if plain else '"{}"'.format(name.replace('"', '""'))


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """One line of the text, and what is wrong in it."""

    number: int
    text: str
    problems: list[SqlProblem]


def _page(
    request: HttpRequest,
    dataset: Dataset,
    schema: DatasetSchema,
    text: str,
    *problems: SqlProblem,
) -> HttpResponse:
    lines = [
        MarkedLine(number, line, [p for p in problems if p.line == number])
        for number, line in enumerate(text.split("\n"), start=1)
    ]
    context = {
        "dataset": dataset,
        "columns": schema.columns,
        "functions": FUNCTIONS,
        "sql": text,
        "problems": problems,
        "marked": [line for line in lines if line.problems],
    }
    return show_page(request, "queries/ask/ask_sql.html", context, refused=problems)
