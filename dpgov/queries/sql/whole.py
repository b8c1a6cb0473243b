"""Nothing that was written is passed over: of each piece that is understood, which parts are.

The parser knows more of every function than is answered here: a second column in MAX, a time zone
in DATE_TRUNC. Whoever reads a piece takes out what it knows; what stands beside that would be
dropped in silence, and another question answered than was written.
"""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.queries.sql.text import Text

_ONE = frozenset({"this"})
_TWO = frozenset({"this", "expression"})
_SEVERAL = frozenset({"this", "expressions"})
_UNDERSTOOD: Mapping[type[exp.Expr], frozenset[str]] = {
    **dict.fromkeys((exp.Sum, exp.Avg, exp.Median, exp.Min, exp.Max), _ONE),
    **dict.fromkeys((exp.Variance, exp.VariancePop, exp.Stddev, exp.StddevPop), _ONE),
    **dict.fromkeys((exp.PercentileCont, exp.PercentileDisc), _ONE),
    **dict.fromkeys((exp.Year, exp.Quarter, exp.Month, exp.Where, exp.Having), _ONE),
    **dict.fromkeys((exp.RegrSlope, exp.RegrIntercept, exp.RegrR2, exp.RegrCount), _TWO),
    **dict.fromkeys((exp.WithinGroup, exp.Extract, exp.Is), _TWO),
    **dict.fromkeys((exp.Quantile, exp.ApproxQuantile), _ONE | {"quantile"}),
    **dict.fromkeys((exp.DateTrunc, exp.TimestampTrunc), _ONE | {"unit"}),
    **dict.fromkeys((exp.Least, exp.Greatest), _SEVERAL | {"ignore_nulls"}),
    exp.Anonymous: _SEVERAL,
    exp.WidthBucket: _ONE | {"min_value", "max_value", "num_buckets"},
    exp.Between: _ONE | {"low", "high"},
    exp.Count: _ONE | {"big_int"},
    exp.Star: frozenset(),
    exp.Distinct: frozenset({"expressions"}),
    exp.Order: _SEVERAL,
    exp.Column: _ONE | {"table"},
    exp.Cast: _ONE | {"to"},
    exp.TryCast: _ONE | {"to", "safe"},
    exp.DataType: _ONE,
}


def check_whole(written: exp.Expr, source: Text) -> None:
    """Raises RefusedSql at the first part of the text that nobody here would read."""
    for node in written.walk():
        for name, part in _parts(node):
            place = part if isinstance(part, exp.Expr) else node
            message = _("“{part}” is not understood here: leave it out.")
            raise source.refused(place, message.format(part=_said(name, part)))


def _parts(node: exp.Expr) -> Iterator[tuple[str, object]]:
    """What is written of it beside what is understood."""
    understood = _UNDERSTOOD.get(type(node))
    if understood is None:
        return
    for name, value in node.args.items():
        if value and name not in understood:
            yield name, value[0] if isinstance(value, list) else value


def _said(name: str, part: object) -> str:
    text = part.sql() if isinstance(part, exp.Expr) else name.strip("_").upper()
    return text[:60]
