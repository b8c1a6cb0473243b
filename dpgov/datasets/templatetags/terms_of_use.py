"""The terms of use that a person has to accept, on every page where they could ask."""

from typing import Any

from django import template
from django.template.context import RequestContext

from dpgov.datasets.models import Dataset, TermsOfUse
from dpgov.datasets.rules import to_accept
from dpgov.datasets.web.forms.terms import AcceptTermsForm
from dpgov.tenants.permissions import Permission, may, membership_of

register = template.Library()


@register.inclusion_tag("datasets/terms/_accept.html", takes_context=True)
def terms_to_accept(
    context: RequestContext, dataset: Dataset, back: str, priced: Any = None
) -> dict[str, Any]:
    """The text with its tick and button, or nothing; `back` is where the person goes on.

    `priced` is the quote on the same page, if there is one: it has looked already.
    """
    terms = priced.terms_to_accept if priced else _to_accept(context, dataset)
    return {
        "csrf_token": context.get("csrf_token"),
        "dataset": dataset,
        "terms": terms,
        "form": AcceptTermsForm() if terms else None,
        "back": back,
    }


def _to_accept(context: RequestContext, dataset: Dataset) -> TermsOfUse | None:
    membership = membership_of(context["request"])
    if not dataset.terms_version or not may(membership, Permission.ACCEPT_TERMS):
        return None
    return to_accept(dataset.pk, membership.user)
