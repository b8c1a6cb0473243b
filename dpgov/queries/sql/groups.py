"""What stands after GROUP BY: a declared category, or a bin that is named by its edges."""

from typing import Any

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.privacy.accounting.decimals import decimal_text
from dpgov.queries.sql.dates import read_calendar
from dpgov.queries.sql.text import NameReader

MOST_BINS = 1_000


def read_group(written: exp.Expr, names: NameReader) -> dict[str, Any]:
    """One grouping as a plan's form: a column, WIDTH_BUCKET(column, low, high, bins),
    BINS(column, edge, edge, ...) or a part of the calendar; or what AS calls one of these after
    SELECT. Raises RefusedSql.
    """
    node = names.meant(written)
    if (by_calendar := read_calendar(node, names)) is not None:
        return by_calendar
    if isinstance(node, exp.Column):
        return {"column": names.name(node)}
    if isinstance(node, exp.WidthBucket):
        return _even_bins(node, names)
    if isinstance(node, exp.Anonymous) and node.name.upper() == "BINS" and node.expressions:
        column, *edges = node.expressions
        return {"column": names.name(column), "edges": [names.constant(edge) for edge in edges]}
    raise names.text.refused(
        written,
        _(
            "Group by a column of categories, WIDTH_BUCKET(column, low, high, bins), "
            "BINS(column, 0, 20, 40), DATE_TRUNC('month', column) or EXTRACT(YEAR FROM column)."
        ),
    )


def _even_bins(node: exp.WidthBucket, names: NameReader) -> dict[str, Any]:
    low, high, bins = (
        names.number(node.args[name]) for name in ("min_value", "max_value", "num_buckets")
    )
    if not 1 <= bins <= MOST_BINS or bins != int(bins) or low >= high:
        message = _("WIDTH_BUCKET needs low below high and 1 to {most} bins.")
        raise names.text.refused(node, message.format(most=MOST_BINS))
    width = (high - low) / bins
    edges = [*(low + width * place for place in range(int(bins))), high]
    return {"column": names.name(node.this), "edges": [decimal_text(edge) for edge in edges]}
