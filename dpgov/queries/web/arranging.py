"""From the form that arranges an answer's table to the address that says the same."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from dpgov.queries.models import Query
from dpgov.queries.selectors import get_query
from dpgov.queries.web.forms.arranging import address_of_form
from dpgov.tenants.permissions import Permission, membership_of, requires


@requires(Permission.VIEW_DATASETS)
@require_safe
def arrange(request: HttpRequest, query_id: UUID) -> HttpResponse:
    """Reads nothing but whether the question is there for this person."""
    try:
        get_query(membership_of(request), query_id)
    except Query.DoesNotExist as missing:
        raise Http404 from missing
    return redirect(address_of_form(query_id, request.GET))
