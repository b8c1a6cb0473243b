"""What a question uses of each unit: the least of what it asks for and what is declared."""

from dpgov.privacy.plan.plan import PerUnit
from dpgov.privacy.plan.schema import PrivacyUnit


def used_of_each(asked: PerUnit | None, unit: PrivacyUnit) -> PerUnit:
    """Both limits as they bind; no rows per group where they bind no more than the declared rows.

    Without a column that names the unit nobody can tell its rows, so that nothing can be left out.
    """
    declared = unit.max_groups_per_unit
    if asked is None or unit.private_id is None:
        return PerUnit(declared)
    groups = min((most for most in (asked.groups, declared) if most is not None), default=None)
    rows = asked.rows_per_group
    return PerUnit(groups, rows if rows is not None and rows < unit.max_rows_per_unit else None)


def narrower(asked: PerUnit | None, unit: PrivacyUnit) -> PerUnit | None:
    """What is asked beyond the declarations; None where that is nothing."""
    used = used_of_each(asked, unit)
    groups = None if used.groups == unit.max_groups_per_unit else used.groups
    return None if groups is None and used.rows_per_group is None else used
