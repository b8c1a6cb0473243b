"""What follows when something that takes two persons was asked for."""

from collections.abc import Callable

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from dpgov.approvals.errors import ApprovalRefusal
from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.errors import LedgerRefusal, NotRaised


def requested(
    request: HttpRequest, form: Form, ask: Callable[[], ChangeRequest]
) -> HttpResponse | None:
    """To the new request; or None, with the reason for which there is none on the form."""
    try:
        change = ask()
    except (ApprovalRefusal, LedgerRefusal, NotRaised) as refusal:
        form.add_error(None, str(refusal))
        return None
    done = _("Requested. Another person has to approve it before anything changes.")
    messages.success(request, done)
    return redirect("oversight:approval", change.pk)
