"""Activity in the log as a picture: how many entries a day, by what happened.

Of the very entries that the list below it may show, under the same filter: every mark leads to the
entries that it counts. At most the newest few thousand are counted, however long the log is.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from urllib.parse import urlencode

from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.translation import gettext as _

from dpgov.audit.models import AuditEntry
from dpgov.audit.selectors import EntryFilter
from dpgov.budgets.windows import as_day, window_end, window_start
from dpgov.language.translation import others
from dpgov.oversight.log.words import in_words
from dpgov.privacy.accounting.decimals import as_text
from dpgov.queries.wording.over_days import bar, over_days, period_of
from dpgov.queries.wording.plotting import Figure

MOST = 5_000
_MOST_COLOURS = 7
_COUNT = "SELECT day, action, COUNT(*) FROM ({newest}) AS newest GROUP BY day, action"
_Counted = list[tuple[date, str, int]]


@dataclass(frozen=True, slots=True)
class ActivityRow:
    """A line of the table beside it: one bar of one colour, and where it leads."""

    day: date
    words: str
    number: int
    href: str


@dataclass(frozen=True, slots=True)
class Activity:
    """The figure, its rows, how wide a bar is, and whether older entries were left out."""

    figure: Figure
    rows: list[ActivityRow]
    period: str
    is_cut: bool


def activity_of(
    found: QuerySet[AuditEntry], chosen: EntryFilter, meant: EntryFilter
) -> Activity | None:
    """Of the entries that were found; None without any. One statement.

    `chosen` is the filter as a person typed it, `meant` the same with the names that it means.
    """
    counted = _counted(found)
    if not counted:
        return None
    days = [day for day, _action, _number in counted]
    period = period_of((max(days) - min(days)).days)
    rows = _rows(counted, period, replace(chosen, word="") if meant.actions else chosen, chosen)
    names = dict.fromkeys(row.words for row in rows)
    traces = [
        bar(name, str(place % 8 + 1), *_trace(row for row in rows if row.words == name))
        for place, name in enumerate(names)
    ]
    return Activity(
        figure=over_days(traces, _("Entries")),
        rows=sorted(rows, key=lambda row: (-row.day.toordinal(), -row.number, row.words)),
        period=period,
        is_cut=sum(number for _day, _action, number in counted) >= MOST,
    )


def _counted(found: QuerySet[AuditEntry]) -> _Counted:
    """By day of the page's zone and action."""
    day = TruncDate("at", tzinfo=timezone.get_current_timezone())
    newest = found.annotate(day=day).values_list("day", "action")[:MOST]
    sql, values = newest.query.sql_with_params()
    with connection.cursor() as cursor:
        # Counted as they are found: to look each of them up again takes longer than to find them.
        cursor.execute(_COUNT.format(newest=sql), values)
        rows = cursor.fetchall()
    return [(as_day(at), action, number) for at, action, number in rows]


def _rows(
    counted: _Counted, period: str, named: EntryFilter, chosen: EntryFilter
) -> list[ActivityRow]:
    """The most frequent action first; beyond the first few they are one, of no action's filter."""
    totals: Counter[str] = Counter()
    for _day, action, number in counted:
        totals[action] += number
    shown = [action for action, _number in totals.most_common(_MOST_COLOURS)]
    sums: Counter[tuple[str, date]] = Counter()
    for day, action, number in counted:
        sums[action if action in shown else "", window_start(period, day)] += number
    rest = others(len(totals) - len(shown))
    return [
        ActivityRow(
            day,
            in_words(action) if action else rest,
            number,
            _href(replace(named, action=action) if action else chosen, day, period),
        )
        for action in (*shown, "")
        for (of, day), number in sorted(sums.items())
        if of == action
    ]


def _trace(rows: Iterable[ActivityRow]) -> tuple[list[date], list[float], list[str]]:
    kept = list(rows)
    return [r.day for r in kept], [float(r.number) for r in kept], [r.href for r in kept]


def _href(chosen: EntryFilter, day: date, period: str) -> str:
    """The list of one bar: the same filter within its days."""
    begin, end = _midnight(day), _midnight(window_end(period, day))
    since = max(begin, chosen.since) if chosen.since else begin
    until = min(end, chosen.until) if chosen.until else end
    amount = chosen.amount
    search = [f"{amount.unit}:{amount.sign}{as_text(amount.nano)}"] if amount else []
    given = {
        "q": " ".join([*search, *filter(None, [chosen.word])]),
        "actor": chosen.actor,
        "action": chosen.action,
        "dataset": chosen.dataset,
        "since": _typed(since),
        "until": _typed(until),
    }
    return f"?{urlencode({name: value for name, value in given.items() if value})}#entries"


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def _typed(moment: datetime) -> str:
    """As the filter of the log reads a moment; without a time at midnight."""
    local = timezone.localtime(moment)
    return f"{local:%Y-%m-%d}" if local.time() == time.min else f"{local:%Y-%m-%dT%H:%M:%S}"
