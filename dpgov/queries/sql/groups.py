"""What stands after GROUP BY: declared categories, or bins of numbers named by their edges."""

from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.privacy.accounting.decimals import decimal_text
from dpgov.queries.sql.names import Names

MOST_BINS = 1_000


def read_group(node: exp.Expr, names: Names) -> dict[str, Any]:
    """One grouping as a plan's form: a column, WIDTH_BUCKET(column, low, high, bins) or
    BINS(column, edge, edge, ...). Raises RefusedSql.
    """
    if isinstance(node, exp.Column):
        return {"column": names.name(node)}
    if isinstance(node, exp.WidthBucket):
        return _even_bins(node, names)
    if isinstance(node, exp.Anonymous) and node.name.upper() == "BINS" and node.expressions:
        column, *edges = node.expressions
        return {"column": names.name(column), "edges": [names.number(edge) for edge in edges]}
    raise names.text.refused(
        node,
        _(
            "Group by a column of categories, WIDTH_BUCKET(column, low, high, bins) or "
            "BINS(column, 0, 20, 40)."
        ),
    )


def _even_bins(node: exp.WidthBucket, names: Names) -> dict[str, Any]:
    low, high, bins = (
        Decimal(names.number(node.args[name])) for name in ("min_value", "max_value", "num_buckets")
    )
    if bins != int(bins) or not 1 <= bins <= MOST_BINS or low >= high:
        message = _("WIDTH_BUCKET needs low below high and 1 to {most} bins.")
        raise names.text.refused(node, message.format(most=MOST_BINS))
    width = (high - low) / bins
    edges = [*(low + width * place for place in range(int(bins))), high]
    return {"column": names.name(node.this), "edges": [decimal_text(edge) for edge in edges]}
