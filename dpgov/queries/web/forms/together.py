"""Several questions of one form at one price: priced together, and asked together or not at all.

They are a batch or a set of tables; both have one body and one key.
"""

from typing import Any

from django.http import HttpRequest, QueryDict

from dpgov.datasets.models import Dataset
from dpgov.queries.asking.once import Submission
from dpgov.queries.asking.quote import Quote, quote_batch
from dpgov.queries.asking.submit import submit_batch
from dpgov.queries.web.forms.offer import Offer, offer_for
from dpgov.queries.web.forms.price import PricedForm
from dpgov.queries.web.forms.sending import send
from dpgov.tenants.permissions import membership_of


def offer_together(request: HttpRequest, dataset: Dataset, form: PricedForm) -> Offer:
    """Price the form for this person; its refusals are placed at its fields."""
    user = membership_of(request).user

    def priced(body: dict[str, Any]) -> Quote:
        return quote_batch(
            user=user,
            dataset=dataset,
            raw_batch=body,
            assumed_rows=form.assumed_rows,
            allocation_id=form.allocation_id,
        )

    return offer_for(form, priced, dataset, user)


def send_together(
    request: HttpRequest,
    dataset: Dataset,
    form: PricedForm,
    offer: Offer,
    data: QueryDict,
    *,
    changed: str,
    used: str,
) -> Submission:
    """Ask all of them at the price that the button named; raises NotSent, see `send`."""

    def accept(body: dict[str, Any], key: str) -> Submission:
        return submit_batch(
            membership=membership_of(request),
            dataset=dataset,
            raw_batch=body,
            idempotency_key=key,
            allocation_id=form.allocation_id,
        )

    return send(offer, data, accept, changed=changed, used=used)
