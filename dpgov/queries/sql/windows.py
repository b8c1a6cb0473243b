"""SUM(COUNT(*)) OVER (PARTITION BY other groups ORDER BY group): the one window that is answered.

Rows up to each edge, as SQL writes it. Groups stand once in a partition, so that ROWS, RANGE and
GROUPS up to the current one mean the same. Every other window is refused where it differs.
"""

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.queries.sql.text import Text

OFFERED = "SUM(COUNT(*)) OVER"
_FRAMES = ("ROWS", "RANGE", "GROUPS")
_UP_TO_HERE: tuple[tuple[str, tuple[str | None, ...]], ...] = (
    ("start", ("UNBOUNDED",)),
    ("start_side", ("PRECEDING",)),
    ("end", ("CURRENT ROW", None)),
    ("end_side", (None,)),
    ("exclude", (None,)),
)


def read_window(window: exp.Window, source: Text) -> tuple[exp.Expr, list[exp.Expr]]:
    """What it runs along, and within which groups. Raises RefusedSql."""
    _check_counted(window.this, source)
    if window.args.get("alias") or window.args.get("over") != "OVER":
        raise source.refused(window, _("Write the window itself: OVER (ORDER BY group)."))
    return _along(window, source), list(window.args.get("partition_by") or [])


def _check_counted(counted: exp.Expr, source: Text) -> None:
    """Refuse whatever is not SUM(COUNT(*))."""
    inner = counted.this if isinstance(counted, exp.Sum) else None
    if isinstance(inner, exp.Count) and isinstance(inner.this, exp.Star):
        return
    if isinstance(counted, exp.Count):
        message = _("COUNT(*) OVER counts groups, not rows: write SUM(COUNT(*)) OVER.")
    elif isinstance(counted, exp.Sum):
        message = _("Sums of columns do not run: only rows are counted, by SUM(COUNT(*)) OVER.")
    else:
        message = _("Only SUM(COUNT(*)) is answered with OVER: the rows up to each edge.")
    raise source.refused(counted, message)


def _along(window: exp.Window, source: Text) -> exp.Expr:
    order = window.args.get("order")
    ordered = order.expressions if order is not None else []
    if not ordered:
        raise source.refused(window, _("Say along which group: OVER (ORDER BY group)."))
    if len(ordered) > 1:
        message = _("Counts run along one group: name the others after PARTITION BY.")
        raise source.refused(ordered[1], message)
    (only,) = ordered
    _check_rising(only, source)
    _check_frame(window.args.get("spec"), only, source)
    along: exp.Expr = only.this
    return along


def _check_rising(ordered: exp.Ordered, source: Text) -> None:
    if ordered.args.get("desc"):
        raise source.refused_after(
            ordered, ("DESC",), _("Counts run from the lowest edge up: leave DESC out.")
        )
    if ordered.args.get("nulls_first"):
        message = _("Missing values are in the last group: leave NULLS FIRST out.")
        raise source.refused_after(ordered, ("NULLS",), message)
    if ordered.args.get("with_fill"):
        raise source.refused(ordered, _("Every declared group is there: leave WITH FILL out."))


def _check_frame(frame: exp.Expr | None, after: exp.Expr, source: Text) -> None:
    if frame is None:
        return
    parts = {name: str(part).upper() for name, part in frame.args.items() if part}
    if any(parts.get(name) not in meant for name, meant in _UP_TO_HERE):
        message = _(
            "Rows are counted from the first group to each one: BETWEEN UNBOUNDED PRECEDING AND "
            "CURRENT ROW, or nothing."
        )
        raise source.refused_after(after, _FRAMES, message)
