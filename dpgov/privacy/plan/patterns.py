"""Questions that an attacker would ask together, found from their plans alone.

Two answers about groups that differ in one condition can be subtracted: what is left is about the
people between the two groups. Here such questions are brought together in families: same
statistic, same grouping, and filters equal but for one condition. No pair is compared: each
question is filed under what its filters are without one of them, so the work grows with the
number of conditions. Must never look at an answer or at data, and so never says that anybody was
singled out: only what the questions were about.

Source of the attack: Denning, Denning and Schwartz, The Tracker (1979); differential privacy
bounds it by the sum of the losses, whatever the pattern.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from dpgov.privacy.plan.canonical import conjuncts_of, names_of, values_of
from dpgov.privacy.plan.computed.asked import with_formulas
from dpgov.privacy.plan.plan import Plan
from dpgov.privacy.plan.request import CodeFilter, RowFilter
from dpgov.privacy.plan.schema import DatasetSchema

# More members than these are counted, but not held against each other.
_COMPARED = 40
_COMPOUND = -1

Rest = tuple[Hashable, Hashable, tuple[RowFilter, ...]]


@dataclass(frozen=True, slots=True)
class FilterFamily:
    """Questions (by key) whose filters differ in one condition: on `column`, or "" if compound.

    `closest` is how many of the column's `values` lie between the two most alike of them; None
    where that cannot be said of the condition.
    """

    keys: tuple[str, ...]
    column: str
    closest: int | None
    values: int | None

    @property
    def is_narrow(self) -> bool:
        """Whether two of them differ by a single value of the column."""
        return self.closest == 1


def families_of(asked: Mapping[str, Plan], schema: DatasetSchema) -> list[FilterFamily]:
    """Every family of two or more, the narrowest and then the largest first.

    Keys of `asked` should be of different forms: a question asked twice is no difference.
    """
    filed: defaultdict[tuple[Rest, int], dict[str, RowFilter | None]] = defaultdict(dict)
    whole: defaultdict[Rest, list[str]] = defaultdict(list)
    for plan in asked.values():
        # One number for a column that several of them compute.
        schema = with_formulas(plan.computed, schema)
    for key, plan in asked.items():
        _file(key, plan, schema, filed, whole)
    for (rest, _), members in filed.items():
        # Whoever left the condition out altogether asked about the rest, with everybody in it.
        members.update(dict.fromkeys(whole.get(rest, ()), None))
    found = {_family(column, members, schema) for (_, column), members in filed.items()}
    real = [family for family in found if len(family.keys) > 1]
    return sorted(real, key=lambda f: (f.closest is None, f.closest, -len(f.keys), f.keys))


def _file(
    key: str,
    plan: Plan,
    schema: DatasetSchema,
    filed: dict[tuple[Rest, int], dict[str, RowFilter | None]],
    whole: dict[Rest, list[str]],
) -> None:
    conditions = conjuncts_of(plan, schema)
    names = {name for statistic in plan.statistics for name in names_of(statistic, schema)}
    for name in sorted(names):
        whole[name, plan.group_by, conditions].append(key)
        for place, condition in enumerate(conditions):
            others = (*conditions[:place], *conditions[place + 1 :])
            filed[(name, plan.group_by, others), _column(condition)][key] = condition


def _column(condition: RowFilter) -> int:
    return condition.column if isinstance(condition, CodeFilter) else _COMPOUND


def _family(
    column: int, members: Mapping[str, RowFilter | None], schema: DatasetSchema
) -> FilterFamily:
    keys = tuple(sorted(members))
    if column == _COMPOUND:
        return FilterFamily(keys, "", None, None)
    spec = schema.columns[column]
    values = values_of(spec)
    everything = CodeFilter(column, ((0, values - 1),), missing_passes=spec.may_be_missing)
    ranges = [
        one if isinstance(one, CodeFilter) else everything
        for one in list(members.values())[:_COMPARED]
    ]
    return FilterFamily(keys, spec.name, _closest(ranges), values)


def _closest(ranges: Iterable[CodeFilter]) -> int | None:
    """The smallest number of codes that pass one of two filters and not the other."""
    return min((_apart(one, other) for one, other in combinations(ranges, 2)), default=None)


def _apart(one: CodeFilter, other: CodeFilter) -> int:
    both = _size(one) + _size(other) - 2 * _overlap(one, other)
    return both + (one.missing_passes is not other.missing_passes)


def _size(one: CodeFilter) -> int:
    return sum(high - low + 1 for low, high in one.ranges)


def _overlap(one: CodeFilter, other: CodeFilter) -> int:
    """Both ascend and do not overlap themselves, so one walk along both is enough."""
    total, i, j = 0, 0, 0
    while i < len(one.ranges) and j < len(other.ranges):
        (a, b), (c, d) = one.ranges[i], other.ranges[j]
        total += max(0, min(b, d) - max(a, c) + 1)
        i, j = (i + 1, j) if b < d else (i, j + 1)
    return total
