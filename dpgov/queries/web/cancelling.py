"""The button with which a question that waits in a pause is cancelled."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dpgov.budgets.errors import BudgetFrozen
from dpgov.language.translation import translated
from dpgov.queries.answering.cancelling import NotPaused, TooLate, cancel
from dpgov.queries.models import Query
from dpgov.tenants.permissions import Permission, membership_of, requires


@requires(Permission.CANCEL_QUESTIONS)
@require_POST
def cancel_question(request: HttpRequest, query_id: UUID) -> HttpResponse:
    """Give its hold back, or say why not."""
    try:
        cancel(membership=membership_of(request), query_id=query_id)
    except Query.DoesNotExist as missing:
        raise Http404 from missing
    except (NotPaused, TooLate, BudgetFrozen) as refusal:
        messages.error(request, translated(str(refusal)))
    else:
        messages.success(request, _("The question is cancelled. Nothing was charged."))
    return redirect("queries:detail", query_id)
