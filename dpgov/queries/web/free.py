"""The button that takes a free answer: the ask form in, a question that is answered already out."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dpgov.datasets.selectors import dataset_or_404
from dpgov.language.translation import translated
from dpgov.privacy.reuse.derived import SourceChanged
from dpgov.queries.asking.gate import NotOpen
from dpgov.queries.asking.once import IdempotencyConflict, InvalidKey
from dpgov.queries.asking.policy import OnlyReadyMade
from dpgov.queries.asking.taking import NothingFree, take
from dpgov.queries.web.forms.arranging import answer_address
from dpgov.queries.web.forms.page import priced_form, refused_form
from dpgov.tenants.permissions import Permission, membership_of, requires


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def take_free(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the free answer that the pressed button named; its price is nothing."""
    dataset = dataset_or_404(request, slug)
    form, offer = priced_form(request, dataset)
    if offer.body is None:
        return refused_form(request, dataset, form, offer)
    try:
        taken = take(
            membership=membership_of(request),
            dataset=dataset,
            raw_plan=offer.body,
            idempotency_key=request.POST.get("key", ""),
            choice=request.POST.get("choice", ""),
        )
    except (NothingFree, SourceChanged, NotOpen, OnlyReadyMade) as refusal:
        return refused_form(request, dataset, form, offer, notice=translated(str(refusal)))
    except (IdempotencyConflict, InvalidKey):
        notice = _("This form was already used for another question. Open it anew to ask another.")
        return refused_form(request, dataset, form, offer, notice=notice)
    return redirect(answer_address(taken.query.pk, request.POST.get("shown", "")))
