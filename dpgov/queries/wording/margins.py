"""How far off a released number may be, as it is written for people: "± 12.5", "within 20 rows".

Bounds are rounded up, and what an error in rows does not count is said.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from dpgov.language.translation import percent
from dpgov.privacy.noise.noise import WITHIN
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.wording.dates import moved_by, periods_apart
from dpgov.queries.wording.numbers import (
    NOTHING,
    accuracy_at,
    at_most,
    in_percent,
    rank_error_at,
    rows_in_words,
)
from dpgov.queries.wording.words import joined, statistic_in_words


def bound_at(cell: Mapping[str, Any], level: float) -> float | None:
    """The error of a number as it is written: of a date, with what turning it into one moved it."""
    bound = accuracy_at(cell["accuracy"], level)
    return None if bound is None else bound + moved_by(cell)


def margin(
    accuracy: list[dict[str, Any]],
    level: float,
    head: Mapping[str, Any] | None = None,
    moved: float = 0.0,
) -> str:
    """The error bound in words: "± 12.5", or "20 rows" for a quantile, or a dash.

    With the `head` of a statistic of dates it is so many of its periods: "± 3 days". `moved` is
    how far the number that it is about was moved to be written.
    """
    bound, rows = accuracy_at(accuracy, level), rank_error_at(accuracy, level)
    bound = None if bound is None else bound + moved
    if bound is not None and head and head.get("dates"):
        return f"± {periods_apart(at_most(bound), bound, head['dates']['step'])}"
    if bound is not None:
        return f"± {at_most(bound)}"
    return NOTHING if rows is None else rows_that_count(rows, accuracy)


def beside(cell: Mapping[str, Any], level: float, head: Mapping[str, Any] | None = None) -> str:
    """The same where it stands beside its number: "± 12.5", or "within 20 rows", or a dash."""
    accuracy = cell.get("accuracy") or []
    rows = rank_error_at(accuracy, level)
    if rows is None or accuracy_at(accuracy, level) is not None:
        return margin(accuracy, level, head, moved_by(cell))
    return gettext("within {rows}").format(rows=rows_that_count(rows, accuracy))


def rows_that_count(rows: float, accuracy: list[dict[str, Any]]) -> str:
    """ "20 rows", or "20 rows that count" where `left_out_in_words` names some that do not."""
    text = rows_in_words(rows)
    if not any("not_counted" in item for item in accuracy):
        return text
    return gettext("{rows} that count").format(rows=text)


def left_out_in_words(accuracy: list[dict[str, Any]], head: Mapping[str, Any]) -> str:
    """Which rows an error in rows does not count; nothing where it counts them all."""
    left_out: dict[str, Any] = next(filter(None, (i.get("not_counted") for i in accuracy)), {})
    found, apart = [], left_out.get("spacing")
    if apart is not None:
        distance = at_most(apart)
        if dates := head.get("dates"):
            distance = periods_apart(distance, apart, dates["step"])
        found.append(gettext("rows within {distance} of either value").format(distance=distance))
    if (share := left_out.get("share")) is not None:
        pattern = gettext("{share} of the rows that share one value")
        found.append(pattern.format(share=in_percent(share)))
    return joined(found, "or")


def not_counted_in_words(accuracy: list[dict[str, Any]], head: Mapping[str, Any]) -> str:
    """The same as a sentence of its own."""
    left_out = left_out_in_words(accuracy, head)
    pattern = gettext("In the errors of {column} these do not count: {left_out}.")
    return pattern.format(column=head["column"], left_out=left_out) if left_out else ""


def condition_of_errors(accuracy: Sequence[Mapping[str, Any]], head: Mapping[str, Any]) -> str:
    """What the errors of a coefficient hold under alone; nothing where they always do."""
    if not any("provided" in item for item in accuracy):
        return ""
    if head["statistic"] == StatisticKind.REGRESSION:
        pattern = gettext(
            "The errors hold only if the true line stays within the declared bounds of {outcome} "
            "wherever the predictors are within theirs."
        )
    else:
        pattern = gettext(
            "The errors hold only if the true probability stays between {low} and {high} wherever "
            "the predictors are within their bounds."
        )
    low, high = map(percent, WITHIN)
    return pattern.format(outcome=head["column"], low=low, high=high)


def aim_in_words(statistic: dict[str, Any]) -> str:
    """Of an extreme, which is not the true one: that belongs to one person."""
    beyond = statistic.get("rows_beyond")
    if beyond is None:
        return ""
    pattern = (
        gettext(
            "{statistic}: the outermost value itself would tell of one person, so this one was "
            "looked for where about {rows} lie below it."
        )
        if statistic["statistic"] == StatisticKind.MIN
        else gettext(
            "{statistic}: the outermost value itself would tell of one person, so this one was "
            "looked for where about {rows} lie above it."
        )
    )
    return pattern.format(statistic=statistic_in_words(statistic), rows=rows_in_words(beyond))
