"""What stands after SELECT: statistics, and groups that are named again."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.privacy.accounting.decimals import decimal_text
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.sql.clips import read_clipped
from dpgov.queries.sql.computed import Computing
from dpgov.queries.sql.dates import OF_DATES
from dpgov.queries.sql.groups import read_group
from dpgov.queries.sql.regressions import OFFERED as REGRESSIONS
from dpgov.queries.sql.regressions import read_regression
from dpgov.queries.sql.running import KINDS as RUNNING
from dpgov.queries.sql.running import read_running
from dpgov.queries.sql.text import RefusedSql

# By name and not by type: to the parser VAR_SAMP is VARIANCE, which here is of all rows.
_OF_COLUMN = {name: kind.value for kind in StatisticKind for name in kind.facts.sql}
FUNCTIONS = ", ".join(
    [*(kind.facts.sql[0] for kind in StatisticKind if kind.facts.sql), *REGRESSIONS]
)


class Reader(Computing):
    """Reads one item after SELECT."""

    def statistic(self, node: exp.Expr, groups: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
        """The plan's form of it; None for a group that is only named again. Raises RefusedSql."""
        item = node.this if isinstance(node, exp.Alias) else node
        named = isinstance(item, exp.Anonymous)
        kind = _OF_COLUMN.get(self.text.word(item).upper())
        columns = item.expressions if named else [item.this]
        if kind is not None and len(columns) == 1:
            return {"statistic": kind, **read_clipped(columns[0], self)}
        if (regression := read_regression(item, self)) is not None:
            return regression
        if (running := read_running(item, groups, self)) is not None:
            return running
        if isinstance(item, exp.Count):
            return self._count(item)
        if isinstance(item, exp.WithinGroup | exp.Quantile | exp.ApproxQuantile):
            return self._quantile(item)
        if isinstance(item, exp.Column | exp.WidthBucket | exp.Anonymous | OF_DATES):
            self._check_grouped(item, groups)
            return None
        raise self._unknown(node)

    def _unknown(self, item: exp.Expr) -> RefusedSql:
        return self.text.refused(
            item,
            _(
                "This is not answered. Known: COUNT(*), COUNT(DISTINCT column), {functions} and "
                "PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY column)."
            ).format(functions=", ".join([FUNCTIONS, *RUNNING])),
        )

    def _count(self, item: exp.Count) -> dict[str, Any]:
        counted = item.this
        if isinstance(counted, exp.Star):
            return {"statistic": StatisticKind.COUNT.value}
        if isinstance(counted, exp.Distinct):
            (column,) = counted.expressions if len(counted.expressions) == 1 else (None,)
            if column is not None and self.private_id and self.name(column) == self.private_id:
                return {"statistic": StatisticKind.COUNT_DISTINCT.value}
            if column is None:
                raise self.text.refused(item, _("Name one column in COUNT(DISTINCT …)."))
            return {"statistic": StatisticKind.DISTINCT_VALUES.value, "column": self.column(column)}
        raise self.text.refused(
            item,
            _("Write COUNT(*), and where a column must have a value: WHERE column IS NOT NULL."),
        )

    def _quantile(self, item: exp.Expr) -> dict[str, Any]:
        if isinstance(item, exp.WithinGroup):
            ordered = item.expression.expressions if item.expression else []
            inner, order = item.this, ordered[0] if len(ordered) == 1 else None
            if (
                not isinstance(inner, exp.PercentileCont | exp.PercentileDisc)
                or order is None
                or order.args.get("desc")
            ):
                raise self._unknown(item)
            return self._of_order(order.this, inner.this)
        return self._of_order(item.this, item.args["quantile"])

    def _of_order(self, column: exp.Expr, share: exp.Expr) -> dict[str, Any]:
        return {
            "statistic": StatisticKind.QUANTILES.value,
            "column": self.column(column),
            "quantiles": [decimal_text(self.number(share))],
        }

    def _check_grouped(self, item: exp.Expr, groups: Sequence[dict[str, Any]]) -> None:
        found = read_group(item, self)
        if found not in groups:
            raise self.text.refused(
                item, _("A column that is shown must stand in GROUP BY; rows are never shown.")
            )
