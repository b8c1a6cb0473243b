"""What the log says about limits that were set and corrections that were booked.

Few entries, of many actions: each action says where in its detail the budget and amounts are.
"""

from collections.abc import Iterator

from dpgov.budgets.services.agreed import (
    LEAVE_SHARED_BUDGET,
    MERGE_SHARED_BUDGETS,
    SPLIT_SHARED_BUDGET,
)
from dpgov.budgets.services.corrections import REFUND
from dpgov.budgets.services.invitations import ACCEPT_SHARED_BUDGET
from dpgov.budgets.services.raising import RAISE_LIMIT
from dpgov.budgets.services.surveys import OPEN_SURVEY
from dpgov.oversight.reconciliation.dialect import ReconciliationSql, amount_of, amount_of_item

_SUBJECT = "substr(e.subject, 8)"


def moved(say: ReconciliationSql) -> Iterator[str]:
    """Every limit that was set or changed: budget, before, after, and how many persons it took."""

    def step(budget: str, before: str, after: str, persons: int, where: str) -> str:
        return (
            f"SELECT {say.identity(budget)} AS budget, {before} AS before_nano,"
            f" {after} AS after_nano, {persons} AS persons FROM said_rare e WHERE {where}"
        )

    def nano(*path: str) -> str:
        return amount_of(say, *path)

    def effect(name: str) -> str:
        return say.get("e.detail", "effect", name)

    before, after = nano("before_epsilon"), nano("after_epsilon")
    yield step(_SUBJECT, before, after, 1, "e.action = 'BUDGET_LIMIT_CHANGED'")
    yield step(_SUBJECT, before, after, 1, "e.action = 'BUDGET_ALLOCATED'")
    yield step(_SUBJECT, "0", nano("limit_epsilon"), 1, "e.action = 'SHARED_BUDGET_OPENED'")
    before, after = nano("effect", "before_epsilon"), nano("effect", "after_epsilon")
    yield step(effect("budget"), before, after, 2, _approved(say, RAISE_LIMIT))
    merged = f"{_approved(say, MERGE_SHARED_BUDGETS)} AND {before} <> {after}"
    yield step(effect("into"), before, after, 2, merged)
    own, alone = say.get("e.detail", "own_budget"), "e.action = 'SURVEY_OPENED'"
    yield step(own, "0", nano("charged_epsilon"), 1, alone)
    for kind in (SPLIT_SHARED_BUDGET, LEAVE_SHARED_BUDGET):
        yield step(effect("opened"), "0", nano("effect", "limit_epsilon"), 2, _approved(say, kind))


def booked(say: ReconciliationSql) -> Iterator[str]:
    """Every correction that the log knows: kind, budget, amount.

    `about` is the query of a refund, else the budget again.
    """

    def row(kind: str, budget: str, amount: str, where: str, join: str = "") -> str:
        query = effect("query") if kind == "refund" else budget
        return (
            f"SELECT '{kind}' AS kind, {say.identity(budget)} AS budget,"
            f" {amount} AS nano, {say.identity(query)} AS about"
            f" FROM said_rare e {join} WHERE {where}"
        )

    def effect(name: str) -> str:
        return say.get("e.detail", "effect", name)

    yield row(
        "refund",
        say.item("budget"),
        amount_of_item(say, "epsilon"),
        _approved(say, REFUND),
        say.each("e.detail", "effect", "corrections"),
    )
    yield row(
        "carried_over",
        say.get("e.detail", "shared_budget"),
        amount_of(say, "carried_epsilon"),
        "e.action = 'SHARED_BUDGET_JOINED'",
    )
    yield row(
        "carried_over",
        say.item("shared_budget"),
        amount_of_item(say, "carried_epsilon"),
        _approved(say, ACCEPT_SHARED_BUDGET),
        say.each("e.detail", "effect", "joined"),
    )
    for kind, name in (
        (MERGE_SHARED_BUDGETS, "into"),
        (SPLIT_SHARED_BUDGET, "opened"),
        (LEAVE_SHARED_BUDGET, "opened"),
    ):
        carried = amount_of(say, "effect", "carried_epsilon")
        yield row("carried_over", effect(name), carried, _approved(say, kind))
    own, alone = say.get("e.detail", "own_budget"), "e.action = 'SURVEY_OPENED'"
    yield row("survey", own, amount_of(say, "charged_epsilon"), alone)
    charged = amount_of(say, "effect", "charged_epsilon")
    yield row("survey", effect("budget"), charged, _approved(say, OPEN_SURVEY))
    missing = amount_of(say, "booked_epsilon")
    confirmed = f"e.action = 'BUDGET_CONFIRMED' AND {missing} IS NOT NULL"
    shared_budgets = say.each("e.detail", "shared_budgets")
    yield row("after_restore", say.item("budget"), missing, confirmed, shared_budgets)
    whole = say.identity(_SUBJECT)
    yield _booked_on(whole, missing, confirmed)
    # Who its parents are never changes: the entry need not be believed.
    of_its_parents = f" JOIN budgets_derivedbudget d ON d.budget_id = {whole}"
    yield _booked_on("d.parent_id", missing, confirmed, of_its_parents)


def _booked_on(whole: str, missing: str, confirmed: str, join: str = "") -> str:
    """On a budget that an officer's confirmation after a restore is about, or each of its parts."""
    found = f"COALESCE(p.budget_id, {whole})"
    return (
        f"SELECT 'after_restore' AS kind, {found} AS budget, {missing} AS nano,"
        f" {found} AS about FROM said_rare e{join}"
        f" LEFT JOIN budgets_budgetpart p ON p.dataset_budget_id = {whole}"
        f" WHERE {confirmed}"
    )


def _approved(say: ReconciliationSql, kind: str) -> str:
    return f"e.action = 'CHANGE_APPROVED' AND {say.get('e.detail', 'kind')} = '{kind}'"
