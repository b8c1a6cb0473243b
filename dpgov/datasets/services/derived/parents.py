"""What is said of the two parents of a derived dataset, and whether they can be that.

A function of declarations and of who shares a budget; never of rows.
"""

from dataclasses import asdict, dataclass
from typing import Any, Self

from dpgov.budgets.shared_budgets import sharing_of
from dpgov.datasets.models import Dataset
from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import InvalidAmount
from dpgov.privacy.plan.schema import DatasetSchema, InvalidDomain, Neighbouring

# The names of a side in the fields that a refusal is about.
SIDES = ("first", "second")


@dataclass(frozen=True, slots=True)
class DeclaredParent:
    """One parent, by its address: at most so many rows of a unit, and these of its columns.

    `version` is the id of the version whose rows are used; empty: the newest.
    """

    slug: str
    rows_of_unit: int
    columns: tuple[str, ...]
    prefix: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Derivation:
    """Everything declared about a derived dataset; limits in nano-ε, as an owner types them.

    `rows_of_unit` is m: so many joined rows of a unit are kept.
    """

    name: str
    description: str
    first: DeclaredParent
    second: DeclaredParent
    rows_of_unit: int
    limit_nano: int
    per_query_limit_nano: int

    @property
    def sides(self) -> tuple[DeclaredParent, DeclaredParent]:
        """Both parents, in their order."""
        return self.first, self.second

    def as_json(self) -> dict[str, Any]:
        """For a row that waits; `of_json` takes it back."""
        return asdict(self)

    @classmethod
    def of_json(cls, kept: dict[str, Any]) -> Self:
        """The declaration that `as_json` gave."""
        first, second = (
            DeclaredParent(**{**kept[side], "columns": tuple(kept[side]["columns"])})
            for side in SIDES
        )
        return cls(**{**kept, "first": first, "second": second})


def check_parent(dataset: Dataset, name: str) -> None:
    """Raises InvalidDomain for one that is nobody's parent."""
    refused = (
        (dataset.is_derived, said("This dataset was derived itself. Choose one that was not.")),
        (
            dataset.neighbouring != Neighbouring.ADD_REMOVE,
            said(
                "The number of its people is public, and how many of them are in both would not "
                "be. Choose a dataset that protects whether a person is in it."
            ),
        ),
        (
            dataset.live_id is not None,
            said("The rows of a live table stay in their own server, and cannot be put beside it."),
        ),
        (
            not dataset.private_id,
            said("No column of it names people, and rows are matched by nothing else."),
        ),
    )
    for is_so, words in refused:
        if is_so:
            raise InvalidDomain(name, words)


def check_together(first: Dataset, second: Dataset) -> None:
    """What both promise to the same people must add up; raises InvalidDomain."""
    shared = [sharing_of(one.budget_id, one.tenant) for one in (first, second)]
    pools = {None if one is None else one.shared_budget.pk for one in shared}
    if first.budget_id == second.budget_id:
        raise InvalidDomain("second", said("Both are the same data, and have one budget."))
    if len(pools) > 1 or None in pools:
        raise InvalidDomain(
            "second",
            said(
                "Both have to be in one shared budget, because they are about the same people. Put "
                "them into one first."
            ),
        )
    if first.group_size != second.group_size:
        words = said("Both have to protect groups of the same size.")
        raise InvalidDomain("second", words)
    if first.currency != second.currency:
        raise InvalidDomain("second", said("Both have to count their losses in the same way."))


def check_rows(side: DeclaredParent, schema: DatasetSchema, name: str) -> None:
    """No more rows of a unit than the parent itself uses; raises InvalidDomain."""
    most = schema.unit.max_rows_per_unit
    if not 1 <= side.rows_of_unit <= most:
        raise InvalidDomain(
            f"rows_{name}", said("Give a number from 1 to {most}, as it declares.", most=most)
        )
    if len(side.prefix) > 40:
        raise InvalidDomain(f"prefix_{name}", said("At most 40 characters."))


def check_rows_of_unit(derivation: Derivation) -> None:
    """Raises InvalidDomain for more pairs than there can be."""
    most = derivation.first.rows_of_unit * derivation.second.rows_of_unit
    if not 1 <= derivation.rows_of_unit <= most:
        raise InvalidDomain(
            "rows_of_unit",
            said("Give a number from 1 to {most}: no person has more joined rows.", most=most),
        )


def check_limits(derivation: Derivation, first: Dataset, second: Dataset) -> None:
    """Its limits are not above those of its parents; raises InvalidDomain."""
    currency = first.currency
    most = min(one.budget.limit_nano for one in (first, second))
    try:
        limit = currency.limit_of(derivation.limit_nano)
    except InvalidAmount as problem:
        raise InvalidDomain("epsilon_limit", problem.args[0]) from problem
    if limit > most:
        words = said("Its limit cannot be larger than that of either dataset.")
        raise InvalidDomain("epsilon_limit", words)
    least = min(one.per_query_limit_nano for one in (first, second))
    one_question = currency.price_of(derivation.per_query_limit_nano)
    if not 0 < one_question <= min(limit, least):
        raise InvalidDomain(
            "epsilon_per_query",
            said("One question cannot cost more than on either dataset, nor than the limit."),
        )
