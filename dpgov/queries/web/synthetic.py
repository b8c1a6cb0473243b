"""Synthetic rows of released tables as a file. Reads stored releases only."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from dpgov.language.translation import translated
from dpgov.privacy.answer.fitting import TooManyCells
from dpgov.queries.answering.looking import look_at
from dpgov.queries.models import Query
from dpgov.queries.wording.synthetic import FORMATS, NoTables, StillWaiting, made_of
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import as_file


@requires(Permission.VIEW_DATASETS)
@require_safe
def synthetic(request: HttpRequest, query_id: UUID, fmt: str) -> HttpResponse:
    """The file; back to the answer with the reason where there is none."""
    try:
        query = look_at(membership_of(request), query_id)
    except Query.DoesNotExist as missing:
        raise Http404 from missing
    if fmt not in FORMATS:
        raise Http404
    try:
        made = made_of(query)
    except (NoTables, StillWaiting, TooManyCells) as refusal:
        messages.error(request, translated(refusal.args[0]))
        return redirect("queries:detail", query_id=query.pk)
    return as_file(made.as_file(fmt), made.file_name(fmt), FORMATS[fmt])
