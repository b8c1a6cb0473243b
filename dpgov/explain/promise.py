"""What the pages about ε need to know of a dataset: its declarations and its budget, or invented
ones before there is a dataset.
"""

from dataclasses import dataclass
from decimal import Decimal

from dpgov.budgets.meaning import whom
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import most_per_question
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    Neighbouring,
    NumericDomain,
    PrivacyUnit,
)


@dataclass(frozen=True, slots=True)
class Promise:
    """Amounts are in the currency; `committed_nano` is what is spent or reserved."""

    schema: DatasetSchema
    currency: Currency
    limit_nano: int
    limit_epsilon_nano: int
    committed_nano: int
    question_nano: int

    @property
    def numbers(self) -> list[str]:
        """The columns that can be added up."""
        return [c.name for c in self.schema.columns if isinstance(c.domain, NumericDomain)]

    @property
    def hides_presence(self) -> bool:
        """Whether it is hidden who is in the data; else only what their rows say."""
        return self.schema.neighbouring is Neighbouring.ADD_REMOVE

    @property
    def people(self) -> str:
        """Who is protected together: "one person", "any 4 people together"."""
        return whom(self.schema.group_size, of_rows=self.schema.unit.private_id is None)


def promise_of(dataset: Dataset) -> Promise:
    """The dataset's own, as it is in force now."""
    budget = dataset.budget
    return Promise(
        schema=schema_of(current_version(dataset)),
        currency=budget.currency,
        limit_nano=budget.limit_nano,
        limit_epsilon_nano=budget.limit_epsilon_nano,
        committed_nano=budget.committed_nano,
        question_nano=most_per_question(dataset),
    )


def invented_promise(limit_nano: int) -> Promise:
    """A dataset that does not exist: one row a person, their age and sex, this limit in nano-ε."""
    age = ColumnSpec("age", NumericDomain(Decimal(0), Decimal(120), Decimal(1)))
    sex = ColumnSpec("sex", CategoryDomain(("female", "male")))
    schema = DatasetSchema(
        columns=(age, sex),
        unit=PrivacyUnit(),
        neighbouring=Neighbouring.ADD_REMOVE,
        group_size=1,
        max_rows=NANO,
    )
    return Promise(schema, PURE, limit_nano, limit_nano, 0, max(1, limit_nano // 10))
