"""What a line of the noise check is about: a question, its price and its tables' declarations."""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dpgov.noise_check.tables import Pair
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.batch import priced
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.table_sets import parse_table_set
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    MissingRule,
    Neighbouring,
    NumericDomain,
    PrivacyUnit,
)

DATASET = "noise-check"
CLAIM_RHO = Fraction(1, 2)
ROWS = 1_000
COLUMNS = (
    ColumnSpec("value", NumericDomain(Decimal(0), Decimal(100), Decimal(1)), MissingRule.IMPUTE, 0),
    ColumnSpec("level", NumericDomain(Decimal(0), Decimal(15), Decimal(1))),
    ColumnSpec("colour", CategoryDomain(("red", "blue"))),
    ColumnSpec("size", CategoryDomain(("small", "large"))),
)


@dataclass(frozen=True, slots=True)
class Case:
    """One statistic.

    `pair` makes its two tables, of the mode and of the public number of rows beyond an extreme.
    `weakened` is the factor by which the control's noise is too small; `share` the part of the
    trials that it gets. Under pure ε a case may have a `claim` and a share, `pure_share`, of its
    own; `modes` are those in which it can be asked.

    `asked_set` is the body of a set of tables, in place of a statistic. Where `kept` is given, the
    tables are read as two files each, of half of the columns, and put together by the person, of
    whom so many rows are kept. `parties` says of how many organisations a joint question is, and
    how many of them collude.
    """

    name: str
    title: str
    statistic: dict[str, Any]
    pair: Callable[[Mode, int], Pair]
    group_by: tuple[dict[str, Any], ...] = ()
    adaptive: dict[str, Any] | None = None
    computed: tuple[dict[str, Any], ...] = ()
    asked_set: dict[str, Any] | None = None
    kept: int | None = None
    parties: tuple[int, int] | None = None
    unit: PrivacyUnit = field(default_factory=PrivacyUnit)
    neighbouring: Neighbouring = Neighbouring.ADD_REMOVE
    public_rows: int | None = None
    weakened: Fraction = Fraction(13, 10)
    share: Fraction = Fraction(1)
    claim: Fraction = Fraction(2)
    pure_share: Fraction | None = None
    modes: tuple[Mode, ...] = tuple(Mode)

    def claimed(self, mode: Mode) -> Fraction:
        """The price of its question, which is what is claimed: ε, or ρ."""
        return self.claim if mode is Mode.PURE else CLAIM_RHO

    def trials_of(self, trials: int, mode: Mode) -> int:
        """How many answers it gets where others get `trials`."""
        pure = mode is Mode.PURE and self.pure_share is not None
        return int(trials * (self.pure_share if pure and self.pure_share else self.share))

    def schema(self, mode: Mode) -> DatasetSchema:
        """The declarations of its tables."""
        return DatasetSchema(
            columns=COLUMNS,
            unit=self.unit,
            neighbouring=self.neighbouring,
            group_size=1,
            max_rows=ROWS,
            public_rows=self.public_rows,
            mode=mode,
        )

    def question(self, price: dict[str, str]) -> dict[str, Any]:
        """The plan, at this price."""
        chosen = {} if self.adaptive is None else {"adaptive": self.adaptive}
        of_two = {"computed": list(self.computed)} if self.computed else {}
        asked = {"statistics": [self.statistic], "group_by": list(self.group_by)}
        return asked | of_two | chosen | price

    def blueprints(self, mode: Mode, price: Fraction) -> tuple[Blueprint, ...]:
        """What is drawn for this price: one question, or those that a set of tables stands for."""
        name = "epsilon" if mode is Mode.PURE else "rho"
        paid = {name: f"{Decimal(price.numerator) / price.denominator:f}"}
        schema = self.schema(mode)
        if self.asked_set is not None:
            asked = parse_table_set(self.asked_set | paid, schema, dataset=DATASET)
            return priced(asked, schema)
        plan = parse_plan(self.question(paid), schema, dataset=DATASET, stored=True)
        return (prepare(plan, schema),)


@dataclass(frozen=True, slots=True)
class SurveyCase:
    """Reports of a local survey, by people of whom one answers the first and one the next answer.

    No table, no engine and no ρ: what is tried is the draw of the command line, which is OpenDP's.
    Its `share` of the trials is small where a report takes many draws.
    """

    name: str
    title: str
    answers: int
    claim: Fraction
    weakened: Fraction = Fraction(13, 10)
    share: Fraction = Fraction(1)
