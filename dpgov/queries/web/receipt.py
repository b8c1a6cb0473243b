"""The receipt of an answer: a page to read and print, and the file that the verifier takes.

Shows what stands in the log of the release and nothing of how it was made.
"""

import json
from uuid import UUID

import segno
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dpgov.budgets.words import question
from dpgov.queries.answering.looking import look_at
from dpgov.queries.models import Query, Release
from dpgov.queries.selectors import receipt_of, visible_release
from dpgov.queries.wording.downloads import file_name
from dpgov.queries.wording.words import in_words
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import as_file


@requires(Permission.VIEW_DATASETS)
@require_safe
def receipt(request: HttpRequest, query_id: UUID) -> HttpResponse:
    """The page; missing while there is no answer."""
    query, release = _answered(request, query_id)
    body = receipt_of(query, release)
    address = request.build_absolute_uri(reverse("queries:detail", args=[query.pk]))
    context = {
        "query": query,
        "dataset": query.dataset,
        "organisation": membership_of(request).tenant.name,
        "words": in_words(query.plan),
        "cost": _("nothing")
        if query.reuse
        else question(query.cost_nano, query.dataset.budget.currency),
        "receipt": body,
        "entry": body.get("leaf_index", -1) + 1,
        "address": address,
        "code": _code(address),
        "name": file_name(query),
    }
    return render(request, "queries/answer/receipt.html", context)


@requires(Permission.VIEW_DATASETS)
@require_safe
def receipt_file(request: HttpRequest, query_id: UUID) -> HttpResponse:
    """The receipt as JSON, as the verifier reads it; missing while there is no answer."""
    query, release = _answered(request, query_id)
    text = json.dumps(receipt_of(query, release), indent=1)
    return as_file(text, f"receipt-{file_name(query)}.json", "application/json")


def _answered(request: HttpRequest, query_id: UUID) -> tuple[Query, Release]:
    """Raises Http404 for a question without an answer, and for one that this person may not see."""
    try:
        query = look_at(membership_of(request), query_id)
    except Query.DoesNotExist as missing:
        raise Http404 from missing
    release = visible_release(query)
    if release is None:
        raise Http404
    return query, release


def _code(address: str) -> SafeString:
    """The address as a QR code: an SVG of one path, without style or script."""
    drawn = segno.make(address, error="m", micro=False).svg_inline(omitsize=True)
    # Squares and nothing that anybody typed.
    return SafeString(drawn)  # nosec B703
