"""What a stored answer holds of a statistic that is asked: found by how it was drawn.

Never looks at a released number: what can be made is known from the plans alone.
"""

import math
from collections.abc import Iterator
from fractions import Fraction

from dpgov.privacy.mechanisms.cumulative import Cumulative
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.mechanisms.logistic import Logistic
from dpgov.privacy.mechanisms.mechanism import Mechanism
from dpgov.privacy.mechanisms.regression import Regression
from dpgov.privacy.mechanisms.totals import PublicMean, Total, degree_of
from dpgov.privacy.mechanisms.views import CountOrSum, PowerSums
from dpgov.privacy.plan.canonical import counted_as, names_of
from dpgov.privacy.plan.plan import Clip, Statistic
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.plan.statistics import Recipe, StatisticKind
from dpgov.privacy.reuse.cumulated import Ranged, ranged
from dpgov.privacy.reuse.estimates import Copied, Linear, StoredAnswer, Viewed
from dpgov.privacy.reuse.refits import Refitted, Repeated, refitted, repeated

_LINES = (Recipe.ROWS, Recipe.SUM)
_Parts = tuple[Draw, tuple[Fraction, ...], Fraction]


def estimates_of(
    stored: StoredAnswer, statistic: Statistic
) -> Iterator[Linear | Viewed | Copied | Refitted | Repeated | Ranged]:
    """All that one stored answer says of a statistic; nothing if it does not tell."""
    schema = stored.blueprint.schema
    kind = counted_as(statistic.kind, schema)
    for place, mechanism in enumerate(stored.blueprint.mechanisms):
        if isinstance(mechanism, Regression):
            fitted = refitted(stored, statistic, place, mechanism)
            yield from () if fitted is None else (fitted,)
        elif isinstance(mechanism, Logistic):
            again = repeated(stored, statistic, place, mechanism)
            yield from () if again is None else (again,)
        if isinstance(mechanism, Cumulative) and kind.facts.recipe is Recipe.ROWS:
            between = ranged(stored, statistic, place, mechanism)
            if between is not None:
                yield between
        linear = _linear(stored, statistic, place, mechanism)
        if linear is not None:
            yield linear
        if _can_be_copied(stored, statistic, mechanism):
            yield Copied(stored, statistic, mechanism, _deviation(mechanism))
        elif isinstance(mechanism, PowerSums) and degree_of(kind):
            basis = mechanism.basis
            if basis.degree >= degree_of(kind) and statistic.source == _source(mechanism):
                yield Viewed(stored, statistic, place, basis)


def _can_be_copied(stored: StoredAnswer, statistic: Statistic, mechanism: Mechanism) -> bool:
    schema, union = stored.blueprint.schema, stored.union
    if statistic.predictors:
        return False
    linear = counted_as(statistic.kind, schema).facts.recipe in _LINES
    # Of a noisy choice a cell of the same rows is enough; others depend on what else was asked.
    alone = union.one_each and statistic.kind.facts.error_in_rows
    if linear or not (union.same or alone):
        return False
    there = {name for one in mechanism.statistics for name in names_of(one, schema)}
    return there.issuperset(names_of(statistic, schema))


def _deviation(mechanism: Mechanism) -> float:
    if isinstance(mechanism, PowerSums):
        return math.sqrt(mechanism.taken.noise.variance) / mechanism.basis.whole
    return float(mechanism.describe()["noise_scale"])


def _linear(
    stored: StoredAnswer, statistic: Statistic, place: int, mechanism: Mechanism
) -> Linear | None:
    """A count or sum from whatever holds one."""
    schema = stored.blueprint.schema
    kind = counted_as(statistic.kind, schema)
    if kind.facts.recipe not in _LINES:
        return None
    found = (
        _from_moments(mechanism, statistic, kind, schema)
        if isinstance(mechanism, PowerSums)
        else _from_total(mechanism, statistic, kind, schema)
    )
    if found is None:
        return None
    taken, weights, lattice = found
    return Linear(stored, statistic, place, taken, weights, lattice)


def _from_total(
    mechanism: Mechanism, statistic: Statistic, kind: StatisticKind, schema: DatasetSchema
) -> _Parts | None:
    if isinstance(mechanism, Total):
        drawn = mechanism.statistic
        fits = (counted_as(drawn.kind, schema), drawn.source) == (kind, statistic.source)
    elif isinstance(mechanism, PublicMean):
        fits = kind is StatisticKind.SUM and mechanism.statistic.source == statistic.source
    else:
        return None
    unit = mechanism.taken.readings[0].unit
    return (mechanism.taken, (unit,), unit) if fits else None


def _from_moments(
    mechanism: PowerSums, statistic: Statistic, kind: StatisticKind, schema: DatasetSchema
) -> _Parts | None:
    basis, source = mechanism.basis, _source(mechanism)
    index = schema.index_of(source[0] or "")
    if kind is StatisticKind.COUNT and (index is None or schema.columns[index].may_be_missing):
        return None
    if kind is StatisticKind.SUM and (statistic.source != source or basis.scale.off):
        return None
    line = CountOrSum(Statistic(kind, statistic.column), basis)
    return mechanism.taken, line.weights, line.lattice


def _source(mechanism: PowerSums) -> tuple[str | None, Clip | None]:
    return next(s.source for s in mechanism.statistics if s.column is not None)
