"""The owner's policy on a dataset's privacy label: what may be asked, and what needs a permit."""

from collections.abc import Iterator

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from dpgov.budgets.words import question
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import least_price_nano, rules_shown
from dpgov.privacy.plan.statistics import STATISTICS

register = template.Library()


@register.simple_tag
def policy_lines(dataset: Dataset) -> list[str]:
    """Each rule as one sentence, the least price of a question first."""
    return list(_lines(dataset))


def _lines(dataset: Dataset) -> Iterator[str]:
    rules = rules_shown(dataset)
    least = question(least_price_nano(dataset, rules), dataset.budget.currency)
    yield _("Each question costs at least {amount}.").format(amount=least)
    if rules.statistics:
        names = ", ".join(_(STATISTICS[name].label) for name in rules.statistics)
        yield _("Only these may be asked: {statistics}.").format(statistics=names)
    if rules.approval_above_nano is not None:
        amount = question(rules.approval_above_nano, dataset.budget.currency)
        yield _("Above {amount} a question needs the owner's permit.").format(amount=amount)
    if rules.least_error is not None:
        rows = number_format(rules.least_error, force_grouping=True)
        # The sign is per cent; xgettext:no-python-format
        yield _("Counts are off by {rows} at least, with 95 % confidence.").format(rows=rows)
