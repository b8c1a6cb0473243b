"""What is public about a dataset: its domains, privacy unit and neighbouring relation.

Everything here was declared by the owner without looking at the data; cost, noise and the shape
of an answer are functions of these values and the plan alone.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.calendar import DateStep, period_text
from dpgov.privacy.plan.formula import Formula

# Exact sums stay below 2**53: exact in every engine, in JSON and far from OpenDP's i64 limits.
LARGEST_SUM = 2**53


class Neighbouring(StrEnum):
    """Which two tables must be hard to tell apart."""

    ADD_REMOVE = "add_remove"
    CHANGE_ONE = "change_one"

    @property
    def steps_to_another_value(self) -> int:
        """How many steps lead to a table in which a unit's rows say something else.

        Where units come and go, one goes and another one comes.
        """
        return 2 if self is Neighbouring.ADD_REMOVE else 1


class MissingRule(StrEnum):
    """What a missing, NaN or unparseable value of a column counts as.

    With REQUIRE there is none: a file that has one is refused, so no table with one is registered.
    """

    DROP = "drop"
    IMPUTE = "impute"
    REQUIRE = "require"


class InvalidDomain(ValueError):
    """A declared domain cannot be used; `field` names the input, `str` says what to do."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class NumericDomain:
    """Values clipped to [lower, upper] and rounded to `step`; all three exact decimals.

    Code c (an integer from 0 to `top`) stands for the value lower + c * step.
    """

    lower: Decimal
    upper: Decimal
    step: Decimal

    @property
    def lower_steps(self) -> int:
        """The lower bound as an integer count of steps."""
        return int(self.lower / self.step)

    @property
    def upper_steps(self) -> int:
        """The upper bound as an integer count of steps."""
        return int(self.upper / self.step)

    @property
    def top(self) -> int:
        """The largest code."""
        return self.upper_steps - self.lower_steps


@dataclass(frozen=True, slots=True)
class DateDomain(NumericDomain):
    """Dates as numbers of periods since the declared first one: lower is 0, the step is 1.

    Code c stands for period number `first` + c of the calendar. `layout` says how a file writes
    dates (empty: ISO 8601); a moment with an offset is read on the wall clock of `zone`.
    """

    unit: DateStep
    first: int
    layout: str = ""
    zone: str = "UTC"

    def text(self, code: int) -> str:
        """The period that a code stands for: 2024-01-31 for a day."""
        return period_text(self.unit, self.first + code)


@dataclass(frozen=True, slots=True)
class ClippedDomain(NumericDomain):
    """What a question clips a column to: code 0 here is code `offset` of the column."""

    offset: int


@dataclass(frozen=True, slots=True)
class CategoryDomain:
    """Declared categories; code i stands for the i-th, code len(categories) for any other."""

    categories: tuple[str, ...]

    @property
    def other(self) -> int:
        """The code of a value that was not declared."""
        return len(self.categories)


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """A queryable column. With IMPUTE `impute_code` replaces a missing value, with DROP it is null.

    With REQUIRE none is missing. With a `formula` it is computed from columns of the file.
    """

    name: str
    domain: NumericDomain | CategoryDomain
    missing: MissingRule = MissingRule.DROP
    impute_code: int | None = None
    formula: Formula | None = None

    @property
    def may_be_missing(self) -> bool:
        """Whether a stored code can be null."""
        return self.missing is MissingRule.DROP

    @property
    def largest_code(self) -> int:
        """Of all that a cell of it can have: of categories that of everything else."""
        domain = self.domain
        return domain.other if isinstance(domain, CategoryDomain) else domain.top


@dataclass(frozen=True, slots=True)
class PerUnit:
    """What a question uses of each unit, less than declared: so many of its groups, and so many of
    its rows in each; None leaves what is declared. Without groups all rows are in one.
    """

    groups: int | None = None
    rows_per_group: int | None = None

    def as_json(self) -> dict[str, int]:
        """The plan's form of it, without what is left as declared."""
        named = {"groups": self.groups, "rows_per_group": self.rows_per_group}
        return {name: most for name, most in named.items() if most is not None}


@dataclass(frozen=True, slots=True)
class PrivacyUnit:
    """Whose presence is hidden: each row (private_id None) or whoever the column names."""

    private_id: str | None = None
    max_rows_per_unit: int = 1
    max_groups_per_unit: int | None = None

    def used(self, asked: PerUnit | None) -> PerUnit:
        """The least of what is asked and declared, as it binds; no rows per group where they bind
        no more than the declared rows.

        Without a column that names the unit nobody can tell its rows, so that nothing is left out.
        """
        declared = self.max_groups_per_unit
        if asked is None or self.private_id is None:
            return PerUnit(declared)
        groups = min((most for most in (asked.groups, declared) if most is not None), default=None)
        rows = asked.rows_per_group
        return PerUnit(groups, rows if rows is not None and rows < self.max_rows_per_unit else None)

    def narrowed(self, asked: PerUnit | None) -> PerUnit | None:
        """What is asked beyond the declarations; None where that is nothing."""
        used = self.used(asked)
        groups = None if used.groups == self.max_groups_per_unit else used.groups
        return None if groups is None and used.rows_per_group is None else used


@dataclass(frozen=True, slots=True)
class DatasetSchema:
    """The public metadata of one dataset version.

    `columns` are in stored order: column i is `c{i}` in an engine. `max_rows` is a public bound
    that no version exceeds; `public_rows` the number of rows where that is public (exact under
    change_one with a row as the unit; otherwise at most an owner's approximate figure). The last
    `asked` columns are stored nowhere: one question computes them (`plan.computed.asked`).
    `is_live`: the rows are in another server, which says nothing of how fast it is; then nobody has
    counted them, and `max_rows` is what an owner promises. `is_cluster`: it has to start tasks in
    several processes for each answer.
    """

    columns: tuple[ColumnSpec, ...]
    unit: PrivacyUnit
    neighbouring: Neighbouring
    group_size: int
    max_rows: int
    public_rows: int | None = None
    mode: Mode = Mode.PURE
    asked: int = 0
    is_live: bool = False
    is_cluster: bool = False

    @property
    def declared(self) -> "DatasetSchema":
        """The same without what a question computes."""
        if not self.asked:
            return self
        return replace(self, columns=self.columns[: -self.asked], asked=0)

    def index_of(self, name: str) -> int | None:
        """The stored place of a column, or None when it is not queryable or not there."""
        for index, column in enumerate(self.columns):
            if column.name == name:
                return index
        return None
