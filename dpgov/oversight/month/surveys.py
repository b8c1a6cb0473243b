"""Surveys that were opened in a month: what each took, of which budget, and their sum.

A survey is charged once, when it opens, so that its amount belongs to one month alone. How many
reports came, and what they say, is on the survey's own page, for those who may see it there.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date

from dpgov.budgets.words import amount
from dpgov.oversight.month.calendar import Month
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import Currency
from dpgov.surveys.selectors import opened_between
from dpgov.tenants.models import Tenant


@dataclass(frozen=True, slots=True)
class SurveyCharge:
    """One survey with its charge; `budget` is the name of a shared one, empty for its own."""

    question: str
    day: date
    budget: str
    currency: Currency
    nano: int

    @property
    def charged(self) -> str:
        """Exactly, with its sign."""
        return amount(self.nano, self.currency)


def survey_charges(tenant: Tenant, month: Month) -> tuple[SurveyCharge, ...]:
    """Of all surveys that were opened in the month, in order; one statement."""
    return tuple(
        SurveyCharge(
            question=survey.question,
            day=survey.opened_at.astimezone(UTC).date(),
            budget=survey.budget.label if survey.shared_budget_id else "",
            currency=survey.budget.currency,
            nano=survey.charged_nano,
        )
        for survey in opened_between(tenant, *month.span())
        if survey.budget and survey.opened_at and survey.charged_nano
    )


def in_sum(charges: Sequence[SurveyCharge]) -> str:
    """Exact sums, one for each currency: "ε 2.1", "ε 1, ρ 0.2"; empty without any."""
    sums: Counter[Currency] = Counter()
    for one in charges:
        sums[one.currency] += one.nano
    return ", ".join(amount(nano, currency) for currency, nano in sums.items())


def cells_of(charges: Sequence[SurveyCharge]) -> Iterator[tuple[str, ...]]:
    """Each as a line of the month's table: about, name, reason, asked, taken, unit."""
    for one in charges:
        yield ("survey", one.question, one.budget, "", as_text(one.nano), one.currency.unit)
