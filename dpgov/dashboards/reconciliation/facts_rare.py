"""What the log says about limits that were set and corrections that were booked.

Few entries, of many actions: each action says where in its detail the budget and amounts are.
"""

from collections.abc import Iterator

from dpgov.dashboards.reconciliation.dialect import Dialect

_SUBJECT = "replace(substr(e.subject, 8), '-', '')"


def moved(say: Dialect, entries: str) -> Iterator[str]:
    """Every limit that was set or changed: budget, before, after, and how many persons it took."""

    def step(budget: str, before: str, after: str, persons: int, where: str) -> str:
        return (
            f"SELECT {budget} AS budget, {before} AS before_nano, {after} AS after_nano,"
            f" {persons} AS persons FROM {entries.format(join='')} AND {where}"
        )

    def nano(*path: str) -> str:
        return say.nano(say.get("e.detail", *path))

    def effect(name: str) -> str:
        return say.undashed(say.get("e.detail", "effect", name))

    before, after = nano("before_epsilon"), nano("after_epsilon")
    yield step(_SUBJECT, before, after, 1, "e.action = 'BUDGET_LIMIT_CHANGED'")
    yield step(_SUBJECT, before, after, 1, "e.action = 'BUDGET_ALLOCATED'")
    yield step(_SUBJECT, "0", nano("limit_epsilon"), 1, "e.action = 'POPULATION_OPENED'")
    before, after = nano("effect", "before_epsilon"), nano("effect", "after_epsilon")
    yield step(effect("budget"), before, after, 2, _approved(say, "raise_limit"))
    merged = f"{_approved(say, 'merge_populations')} AND {before} <> {after}"
    yield step(effect("into"), before, after, 2, merged)
    for kind in ("split_population", "leave_population"):
        yield step(effect("opened"), "0", nano("effect", "limit_epsilon"), 2, _approved(say, kind))


def booked(say: Dialect, entries: str) -> Iterator[str]:
    """Every correction that the log knows: kind, budget, amount and, of a refund, the query."""

    def row(kind: str, budget: str, amount: str, where: str, join: str = "") -> str:
        query = say.undashed(effect("query")) if kind == "refund" else "''"
        return (
            f"SELECT '{kind}' AS kind, {say.undashed(budget)} AS budget,"
            f" {say.nano(amount)} AS nano, {query} AS query"
            f" FROM {entries.format(join=join)} AND {where}"
        )

    def effect(name: str) -> str:
        return say.get("e.detail", "effect", name)

    yield row(
        "refund",
        say.item("budget"),
        say.item("epsilon"),
        _approved(say, "refund"),
        say.each("e.detail", "effect", "corrections"),
    )
    yield row(
        "carried_over",
        say.get("e.detail", "population"),
        say.get("e.detail", "carried_epsilon"),
        "e.action = 'POPULATION_JOINED'",
    )
    yield row(
        "carried_over",
        say.item("population"),
        say.item("carried_epsilon"),
        _approved(say, "accept_population"),
        say.each("e.detail", "effect", "joined"),
    )
    for kind, name in (
        ("merge_populations", "into"),
        ("split_population", "opened"),
        ("leave_population", "opened"),
    ):
        yield row("carried_over", effect(name), effect("carried_epsilon"), _approved(say, kind))
    lines = f"LEFT JOIN budgets_partitionline p ON {say.hexed('p.dataset_budget_id')} = {_SUBJECT}"
    missing = say.get("e.detail", "booked_epsilon")
    confirmed = f"e.action = 'BUDGET_CONFIRMED' AND {missing} IS NOT NULL"
    line = f"COALESCE({say.text('p.budget_id')}, {_SUBJECT})"
    yield row("after_restore", line, missing, confirmed, lines)
    shared = say.each("e.detail", "populations")
    yield row("after_restore", say.item("budget"), missing, confirmed, shared)


def _approved(say: Dialect, kind: str) -> str:
    return f"e.action = 'CHANGE_APPROVED' AND {say.get('e.detail', 'kind')} = '{kind}'"
