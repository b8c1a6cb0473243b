"""The answer page: follow a question to its released answer, read it, take it away.

Shows the public state and the stored release, nothing of workers, attempts or how long it took.
"""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dpgov.budgets.standing import charged_to
from dpgov.budgets.words import question
from dpgov.privacy.answer.body import read_body
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.answering.cancelling import may_cancel
from dpgov.queries.answering.looking import look_at, pause_before_next_look
from dpgov.queries.asking.enough import enough_in_words
from dpgov.queries.models import Query, Release
from dpgov.queries.selectors import (
    PublicState,
    public_state,
    visible_queries,
    visible_release,
)
from dpgov.queries.web.forms.arranging import arranged
from dpgov.queries.wording.charged import rows_read, used_in_words
from dpgov.queries.wording.downloads import (
    as_csv,
    as_json,
    citation,
    file_name,
)
from dpgov.queries.wording.figures import release_charts
from dpgov.queries.wording.guarantee import joint_in_words
from dpgov.queries.wording.logistic import logistic_regressions
from dpgov.queries.wording.notebook import answer_lines
from dpgov.queries.wording.presentation import Answer, ending_of, ordered, read_answer
from dpgov.queries.wording.regressions import RegressionAnswer, regressions
from dpgov.queries.wording.rounds import read_rounds, whole_of
from dpgov.queries.wording.synthetic import tables_together
from dpgov.queries.wording.words import in_words
from dpgov.queries.workbench.versions import over_versions
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import CSV, as_file, as_file_in_parts

# What a page has of some statistics beside their numbers, and its name in the template.
_BESIDE: dict[str, tuple[str, Callable[[dict[str, Any]], list[RegressionAnswer]]]] = {
    StatisticKind.REGRESSION: ("regressions", regressions),
    StatisticKind.LOGISTIC_REGRESSION: ("logistic_regressions", logistic_regressions),
}
FORMATS: dict[str, tuple[str, Callable[[Release], bytes | Iterator[bytes]]]] = {
    "csv": (CSV, as_csv),
    "json": ("application/json", as_json),
}


@requires(Permission.VIEW_DATASETS)
@require_safe
def detail(request: HttpRequest, query_id: UUID) -> HttpResponse:
    """The whole page of one question."""
    return render(
        request, "queries/answer/detail.html", _context(request, _query(request, query_id))
    )


@requires(Permission.VIEW_DATASETS)
@require_safe
def status(request: HttpRequest, query_id: UUID) -> HttpResponse:
    """The part of the page that changes: polled while waiting, final afterwards."""
    return render(
        request, "queries/answer/_status.html", _context(request, _query(request, query_id))
    )


@requires(Permission.VIEW_DATASETS)
@require_safe
def download(request: HttpRequest, query_id: UUID, fmt: str) -> HttpResponseBase:
    """The released answer as a file; missing while there is none."""
    query = _query(request, query_id)
    release = visible_release(query)
    if release is None or fmt not in (*FORMATS, "pdf"):
        raise Http404
    if fmt == "pdf":
        content = _as_pdf(request, query, release)
        return as_file(content, f"{file_name(query)}.pdf", "application/pdf")
    content_type, write = FORMATS[fmt]
    made, name = write(release), f"{file_name(query)}.{fmt}"
    if isinstance(made, bytes):
        return as_file(made, name, content_type)
    return as_file_in_parts(made, name, content_type)


def _query(request: HttpRequest, query_id: UUID) -> Query:
    membership = membership_of(request)
    try:
        return look_at(membership, query_id)
    except Query.DoesNotExist as missing:
        raise Http404 from missing


def _context(request: HttpRequest, query: Query) -> dict[str, Any]:
    state = public_state(query)
    context: dict[str, Any] = {
        "query": query,
        "dataset": query.dataset,
        "words": in_words(query.plan),
        "plan_text": json.dumps(ordered(query.plan), indent=2, ensure_ascii=False),
        "cost": _("nothing")
        if query.reuse
        else question(query.cost_nano, query.dataset.budget.currency),
        "made_from": _sources(request, query),
        "state": state.value,
        "pause_ms": _pause_ms(query) if state is PublicState.WAITING else 0,
        "lines": answer_lines(query.pk, server=request.build_absolute_uri("/").rstrip("/")),
        "may_cancel": state is PublicState.WAITING and may_cancel(membership_of(request), query),
        "ending": ending_of(query),
        "charged": charged_to(query.pk, reader_id=membership_of(request).user_id),
    }
    release = visible_release(query) if state is PublicState.RELEASED else None
    if release is None:
        return context
    membership = membership_of(request)
    context["versions"] = over_versions(membership, query)
    context["together"] = _together(query) if query.plan.get("group_by") else []
    shown = _answer(query, release, request.GET)
    parties = (shown.get("joint") or {}).get("parties", 0)
    context["used"], context["rows"] = used_in_words(query), rows_read(query)
    return context | shown | _share(query, membership.tenant.name, request, parties)


def _pause_ms(query: Query) -> int:
    return pause_before_next_look(query) // timedelta(milliseconds=1)


def _sources(request: HttpRequest, query: Query) -> list[tuple[str, bool]]:
    """The stored answers that a free one is made of, and whether this person may open each."""
    if not query.sources:
        return []
    seen = visible_queries(membership_of(request)).filter(pk__in=query.sources)
    visible = {str(pk) for pk in seen.values_list("pk", flat=True)}
    return [(source, source in visible) for source in query.sources]


def _together(query: Query) -> list[tuple[str, str, bool]]:
    """The tables that were asked together, itself among them: in words, with their addresses."""
    return [
        (in_words(one.plan), reverse("queries:detail", args=[one.pk]), one.pk == query.pk)
        for one in tables_together(query)
    ]


def _as_pdf(request: HttpRequest, query: Query, release: Release) -> bytes:
    """With the addresses of its page and its receipt.

    What writes PDFs loads fonts for most of a second: commands and workers never need it, and web
    processes have loaded it before their first request (`configuration.serving`).
    """
    from dpgov.queries.wording.paper import PrintedSource, as_pdf

    page, receipt = (
        request.build_absolute_uri(reverse(f"queries:{name}", args=[query.pk]))
        for name in ("detail", "receipt")
    )
    return as_pdf(query, release, PrintedSource(membership_of(request).tenant.name, page, receipt))


def _share(query: Query, organisation: str, request: HttpRequest, parties: int) -> dict[str, Any]:
    """The link of this answer and how to cite it; `file` is what its files are called."""
    address = request.build_absolute_uri(reverse("queries:detail", args=[query.pk]))
    cited = citation(query, organisation=organisation, address=address, parties=parties)
    texts = [("answer-link", _("Link"), address), ("answer-citation", _("Citation"), cited)]
    return {"share": texts, "file": file_name(query)}


def _answer(query: Query, release: Release, given: QueryDict) -> dict[str, Any]:
    body = read_body(release.body)
    if body.get("rounds"):
        rounds = read_rounds(body)
        return {"answer": whole_of(body, rounds), "rounds": rounds}
    shown = _shown(body, given)
    warnings = _warnings(query, body, shown["answer"])
    joint = {"joint": body.get("joint"), "joint_words": joint_in_words(body)}
    return shown | _beside(body) | joint | {"warnings": warnings}


def _shown(body: dict[str, Any], given: QueryDict) -> dict[str, Any]:
    """The numbers; groups have an order and charts, and single numbers at most a ratio."""
    if body["groups"]:
        return arranged(given, body) | {"charts": release_charts(body)}
    return arranged(given, body) if given else {"answer": read_answer(body)}


def _beside(body: dict[str, Any]) -> dict[str, Any]:
    kinds = {statistic["statistic"] for statistic in body["statistics"]}
    found = [_BESIDE[kind] for kind in kinds if kind in _BESIDE]
    return {name: read(body) for name, read in found}


def _warnings(query: Query, body: dict[str, Any], answer: Answer) -> list[str]:
    """What says nothing, once each; and of the first what would say something."""
    empty = {one.label: place for place, one in enumerate(answer.statistics) if one.warning}
    found: list[str] = []
    for label, place in empty.items():
        words = answer.statistics[place].warning
        if len(answer.statistics) > 1:
            words = f"{label}: {words}"
        enough = "" if found else enough_in_words(query.version, body, place)
        found.append(f"{words} {enough}".strip())
    return found
