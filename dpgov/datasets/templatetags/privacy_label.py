"""A dataset's privacy label: what its owner lets be asked, and what makes its answers private."""

from collections.abc import Iterator

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from dpgov.budgets.words import question
from dpgov.datasets.computed import formula_words
from dpgov.datasets.lineage import origins_of
from dpgov.datasets.models import Column, Dataset, DerivedFrom
from dpgov.datasets.rules import least_price_nano, rules_shown
from dpgov.language.translation import in_a_row
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.mechanisms.mechanism import CHOICE, released_by
from dpgov.privacy.plan.statistics import STATISTICS, StatisticKind

register = template.Library()


@register.simple_tag
def policy_lines(dataset: Dataset) -> list[str]:
    """Each rule as one sentence, the least price of a question first."""
    return list(_lines(dataset))


def _lines(dataset: Dataset) -> Iterator[str]:
    rules = rules_shown(dataset)
    least = question(least_price_nano(dataset, rules), dataset.budget.currency)
    yield _("Each question costs at least {amount}.").format(amount=least)
    if rules.only_ready_made:
        yield _("Only ready-made questions may be asked.")
    if rules.statistics:
        names = ", ".join(_(STATISTICS[name].label) for name in rules.statistics)
        yield _("Only these may be asked: {statistics}.").format(statistics=names)
    if rules.approval_above_nano == 0:
        yield _("Every question needs the owner's permit or approval.")
    elif rules.approval_above_nano is not None:
        amount = question(rules.approval_above_nano, dataset.budget.currency)
        yield _("Above {amount} a question needs the owner's permit or approval.").format(
            amount=amount
        )
    if rules.least_error is not None:
        rows = number_format(rules.least_error, force_grouping=True)
        # The sign is per cent; xgettext:no-python-format
        yield _("The error bound of a count is {rows} at least, at 95% confidence.").format(
            rows=rows
        )


@register.simple_tag
def lineage(dataset: Dataset) -> tuple[DerivedFrom, ...]:
    """What a derived dataset was made of."""
    return origins_of(dataset)


@register.filter
def formula(column: Column) -> str:
    """How a column is computed; empty for one of the file."""
    return formula_words(column.formula)


@register.simple_tag
def noise_lines(counting: Mode) -> list[str]:
    """What may release the answers of a budget that counts so, each with what it is drawn for."""
    by: dict[tuple[str, ...], list[str]] = {}
    for kind in StatisticKind:
        made = released_by(kind.facts, counting)
        by.setdefault(made, []).append(_(kind.facts.name))
    return [_released(made, names) for made, names in by.items()]


def _released(made: tuple[str, ...], names: list[str]) -> str:
    first, *others = [_(name) for name in made]
    if CHOICE in made:
        return _("{mechanism}, for {statistics}").format(
            mechanism=first, statistics=in_a_row(names)
        )
    if others:
        first = _("{one} or {other}, whichever is smaller").format(one=first, other=others[0])
    return _("{noise}, on exact sums").format(noise=first)
