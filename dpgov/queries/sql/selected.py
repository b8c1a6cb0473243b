"""What a text selects: statistics, ratios of two of them, and groups that are named again."""

from typing import Any

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.queries.arranging.arrangement import MOST_PARTS, ColumnKey, KeyKind
from dpgov.queries.sql.arranging import Items
from dpgov.queries.sql.groups import read_group
from dpgov.queries.sql.regressions import is_regression
from dpgov.queries.sql.statistics import Reader
from dpgov.queries.sql.where import Placed


class Selected:
    """Takes the items after SELECT one by one; what stands twice is asked once."""

    def __init__(self, reader: Reader, groups: Placed) -> None:
        self._reader = reader
        self._groups = [group for _node, group in groups]
        self._in_ratios: set[int] = set()
        self.statistics: Placed = []
        self.ratios: list[tuple[int, int]] = []
        self.items = Items(reader)
        for place, (node, _group) in enumerate(groups, start=1):
            self.items.add(node, ColumnKey(KeyKind.GROUPING, place), shown=False)

    def read(self, node: exp.Expr) -> None:
        """One item. Raises RefusedSql."""
        inner = node.unalias().unnest()
        if isinstance(inner, exp.Div):
            self._ratio(node, inner)
            return
        statistic = self._reader.statistic(node, self._groups)
        if statistic is None:
            place = self._groups.index(read_group(inner, self._reader)) + 1
            self.items.add(node, ColumnKey(KeyKind.GROUPING, place))
            return
        self.items.add(
            node, ColumnKey(KeyKind.STATISTIC, self._place(node, statistic, repeats=False))
        )

    def check(self) -> None:
        """Ratios count the numbers of an answer, of which a regression has several."""
        for node, statistic in self.statistics:
            if self.ratios and is_regression(statistic):
                raise self._reader.text.refused(
                    node, _("A regression is several numbers: ask it without ratios.")
                )

    def _ratio(self, node: exp.Expr, ratio: exp.Div) -> None:
        if len(self.ratios) == MOST_PARTS:
            raise self._reader.text.refused(
                node, _("At most {most} are read here.").format(most=MOST_PARTS)
            )
        above, below = (self._part(part.unnest()) for part in (ratio.this, ratio.expression))
        if above == below:
            raise self._reader.text.refused(node, _("A ratio is of two different statistics."))
        self.ratios.append((above, below))
        self.items.add(node, ColumnKey(KeyKind.RATIO, len(self.ratios)))

    def _part(self, node: exp.Expr) -> int:
        statistic = self._reader.statistic(node, self._groups)
        if statistic is None:
            raise self._reader.text.refused(node, _("A ratio is of two statistics."))
        place = self._place(node, statistic, repeats=True)
        self.items.know(node, ColumnKey(KeyKind.STATISTIC, place))
        return place

    def _place(self, node: exp.Expr, statistic: dict[str, Any], *, repeats: bool) -> int:
        """Which one it is, from 1; a part of a ratio may stand beside the ratio, too.

        Slope and intercept are read off one regression.
        """
        known = [found for _node, found in self.statistics]
        place = known.index(statistic) + 1 if statistic in known else 0
        again = repeats or place in self._in_ratios or is_regression(statistic)
        if place and again:
            return place
        self.statistics.append((node, statistic))
        if repeats:
            self._in_ratios.add(len(self.statistics))
        return len(self.statistics)
