"""Row-level security: the statements that let a session see and write its own tenant's rows only.

FORCE, because the owner of a table would pass otherwise; separate policies let the owner act for
every tenant (migrations, backups, doors) and the auditor look at every tenant, when they say so.
"""

from collections.abc import Iterator

from dpgov.tenants.wall.registry import walled
from dpgov.tenants.wall.rules import Rule


def protected_tables() -> list[str]:
    """The tables behind the wall."""
    return [model._meta.db_table for model, _ in walled()]


def policies(auditor: str = "") -> Iterator[tuple[str, str, str]]:
    """(table, policy name, statement) of every policy; `auditor` may look at every tenant."""
    for model, rule in walled():
        table = model._meta.db_table
        bodies = _bodies(rule)
        if auditor:
            bodies["wall_audit"] = f'FOR SELECT TO "{auditor}" USING (dpgov_every_tenant())'
        for name, body in bodies.items():
            text = body.replace("{table}", table)
            yield table, name, f"CREATE POLICY {name} ON {table} {text}"


def _bodies(rule: Rule) -> dict[str, str]:
    found = {
        "wall_own": f"USING ({rule.use}) WITH CHECK ({rule.use})",
        "wall_every_tenant": "TO CURRENT_USER USING (dpgov_every_tenant())"
        " WITH CHECK (dpgov_every_tenant())",
    }
    if rule.insert:
        # A policy of its own, or reading the table would ask the tables of the condition again.
        found["wall_own"] = f"FOR SELECT USING ({rule.use})"
        found["wall_insert"] = f"FOR INSERT WITH CHECK ({rule.insert})"
    if rule.see:
        found["wall_see"] = f"FOR SELECT USING ({rule.see})"
    if rule.update:
        # Rows may be locked where they are shared; changed there by the owner's functions alone.
        found["wall_lock"] = f"FOR UPDATE USING ({rule.update}) WITH CHECK ({rule.use})"
        found["wall_shared"] = (
            f"FOR UPDATE TO CURRENT_USER USING ({rule.update}) WITH CHECK ({rule.update})"
        )
    return found
