"""Row-level security: the statements that let a session see and write its own tenant's rows only.

FORCE, because the owner of a table would pass otherwise; a separate policy lets the owner act for
every tenant (migrations, backups, gates) when it says so. What an auditor sees is not for the
session to say: it follows from the table of auditors, and `dpgov.tenant` means nothing to them.
"""

from collections.abc import Iterator

from dpgov.tenants.wall.registry import is_audited, walled
from dpgov.tenants.wall.rules import Rule

_ACTING = "= dpgov_tenant()"
# Asked once for a statement, not for each row.
_AUDITED = "= ANY (ARRAY(SELECT dpgov_audited()))"


def protected_tables() -> list[str]:
    """The tables behind the wall."""
    return [model._meta.db_table for model, _ in walled()]


def policies(*roles: str, auditor: str = "") -> Iterator[tuple[str, str, str]]:
    """(table, policy name, statement) of every policy.

    `roles` and the owner act for one tenant at a time; `auditor`, and every role that is a member
    of it, sees the tenants that it was appointed for.
    """
    acting = ", ".join(["CURRENT_USER", *(f'"{role}"' for role in roles if role)])
    for model, rule in walled():
        table = model._meta.db_table
        bodies = _bodies(rule, acting)
        if auditor and is_audited(model):
            seen = " OR ".join(f"({part})" for part in (rule.use, rule.see) if _ACTING in part)
            seen = seen.replace(_ACTING, _AUDITED)
            bodies["wall_audit"] = f'FOR SELECT TO "{auditor}" USING ({seen})'
        for name, body in bodies.items():
            text = body.replace("{table}", table)
            yield table, name, f"CREATE POLICY {name} ON {table} {text}"


def _bodies(rule: Rule, acting: str) -> dict[str, str]:
    found = {
        "wall_own": f"TO {acting} USING ({rule.use}) WITH CHECK ({rule.use})",
        "wall_every_tenant": "TO CURRENT_USER USING (dpgov_every_tenant())"
        " WITH CHECK (dpgov_every_tenant())",
    }
    if rule.insert:
        # A policy of its own, or reading the table would ask the tables of the condition again.
        found["wall_own"] = f"FOR SELECT TO {acting} USING ({rule.use})"
        found["wall_insert"] = f"FOR INSERT TO {acting} WITH CHECK ({rule.insert})"
    if rule.see:
        # One's own once more, before what takes a look at another table: the database asks the
        # conditions of a row in the order in which they stand, policies from the last name on.
        found["wall_see"] = f"FOR SELECT TO {acting} USING (({rule.use}) OR ({rule.see}))"
    if rule.update:
        # Rows may be locked where they are shared; changed there by the owner's functions alone.
        found["wall_lock"] = f"FOR UPDATE TO {acting} USING ({rule.update}) WITH CHECK ({rule.use})"
        found["wall_shared"] = (
            f"FOR UPDATE TO CURRENT_USER USING ({rule.update}) WITH CHECK ({rule.update})"
        )
    return found
