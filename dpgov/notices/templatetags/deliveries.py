"""Why a delivery to a webhook failed, in the words of who reads the page."""

from django import template

from dpgov.notices.models import Delivery
from dpgov.notices.words import problem_in_words

register = template.Library()


@register.filter
def problem(delivery: Delivery) -> str:
    """What went wrong at the last try; "" where nothing did."""
    return problem_in_words(delivery.problem, delivery.status) if delivery.problem else ""
