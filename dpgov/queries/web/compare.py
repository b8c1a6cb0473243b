"""The page that puts answers of one dataset side by side. Reads stored answers, costs nothing."""

import json
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dpgov.budgets.words import question
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import dataset_or_404, schema_of
from dpgov.queries.models import Query, Release
from dpgov.queries.selectors import PublicState, visible_queries, with_public_state
from dpgov.queries.wording.words import counted_in_rows, in_words
from dpgov.queries.workbench.comparing import ComparedRow, chart_of, comparable, compared
from dpgov.queries.workbench.declared import declared_alike
from dpgov.tenants.permissions import Permission, membership_of, requires

_MOST_LISTED = 50
_MOST_COMPARED = 5
_MOST_ROWS = 200
_LETTERS = "ABCDE"


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """An answer that can be chosen; `letter` is its column once it is."""

    id: UUID
    words: str
    by: str
    at: datetime
    version: int
    price: str
    letter: str = ""


@requires(Permission.VIEW_DATASETS)
@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose two or more answers; the first in the list's order of time is what others face."""
    dataset = dataset_or_404(request, slug)
    listed = [one for one in _answers(request, dataset) if comparable(one.plan, one.plan)]
    wanted = set(request.GET.getlist("answer"))
    chosen = [query for query in reversed(listed) if str(query.pk) in wanted][:_MOST_COMPARED]
    rows = compared(_bodies(chosen)) if len(chosen) > 1 else []
    letters = {query.pk: letter for query, letter in zip(chosen, _LETTERS, strict=False)}
    context = {
        "dataset": dataset,
        "choices": [
            _choice(query, letters.get(query.pk, "")) for query in _comparable(listed, chosen)
        ],
        "chart": chart_of(rows[:_MOST_ROWS], list(letters.values())) if rows else None,
        "chart_lines": _lines(rows),
        "columns": [_choice(query, letters[query.pk]) for query in chosen],
        "rows": rows[:_MOST_ROWS],
        "left_out": max(0, len(rows) - _MOST_ROWS),
        "differing": sum(row.differs for row in rows),
        "too_many": len(wanted) > _MOST_COMPARED,
        "most": _MOST_COMPARED,
        "in_rows": counted_in_rows(),
        "several_versions": len({query.version_id for query in chosen}) > 1,
        "declared_otherwise": [letters[query.pk] for query in _declared_otherwise(chosen)],
    }
    return render(request, "queries/answer/compare.html", context)


def _answers(request: HttpRequest, dataset: Dataset) -> list[Query]:
    """The newest released answers that this person may see, and those that were chosen; none that
    is of other organisations' rows, too.
    """
    visible = visible_queries(membership_of(request)).filter(dataset=dataset)
    released = with_public_state(visible, PublicState.RELEASED)
    newest = list(released[:_MOST_LISTED])
    known = {query.pk for query in newest}
    older = [pk for pk in map(_uuid, request.GET.getlist("answer")[:_MOST_COMPARED]) if pk]
    chosen = released.filter(pk__in=[pk for pk in older if pk not in known])
    return [query for query in (*newest, *chosen) if not query.is_joint]


def _comparable(listed: list[Query], chosen: list[Query]) -> list[Query]:
    """What has something in common with the first one chosen, or with any other listed."""
    if chosen:
        first = chosen[0]
        return [q for q in listed if q in chosen or comparable(first.plan, q.plan)]
    return [
        query
        for query in listed
        if any(comparable(query.plan, other.plan) for other in listed if other is not query)
    ]


def _declared_otherwise(chosen: list[Query]) -> list[Query]:
    """Those whose version says something else than the first one's of what that one reads."""
    others = [query for query in chosen[1:] if query.version_id != chosen[0].version_id]
    if not others:
        return []
    mine, plan = schema_of(chosen[0].version), chosen[0].plan
    return [one for one in others if not declared_alike(plan, mine, schema_of(one.version))]


def _lines(rows: list[ComparedRow]) -> str:
    """The class of the chart's height: two lines' room for each row of the first statistic."""
    drawn = sum(row.label == rows[0].label for row in rows)
    return f"lines-{min(40, max(5, -(-2 * drawn // 5) * 5))}"


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _bodies(queries: list[Query]) -> list[dict[str, object]]:
    stored = Release.objects.filter(query__in=queries).values_list("query_id", "body")
    bodies = {query_id: json.loads(body) for query_id, body in stored}
    return [bodies[query.pk] for query in queries]


def _choice(query: Query, letter: str) -> AnswerChoice:
    return AnswerChoice(
        id=query.pk,
        words=in_words(query.plan),
        by=str(query.analyst),
        at=query.submitted_at,
        version=query.version.number,
        price=_("nothing")
        if query.reuse
        else question(query.cost_nano, query.dataset.budget.currency),
        letter=letter,
    )
