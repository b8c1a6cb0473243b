"""Foreign keys that carry the tenant: a row cannot point into another tenant.

Row-level security does not look at what a foreign key refers to; these constraints do. Django's
own constraints stay beside them.
"""

from collections.abc import Iterator

from dpgov.tenants.wall.registry import Reference, references


def unique_keys() -> dict[str, str]:
    """Index name -> statement: what the foreign keys refer to must be unique with its tenant."""
    wanted = {(r.target, r.key) for r in references() if r.bridge is None}
    names = {f"wall_{table}_{key}": f"{table} (tenant_id, {key})" for table, key in sorted(wanted)}
    return {name: f"CREATE UNIQUE INDEX {name} ON {place}" for name, place in names.items()}


def foreign_keys() -> Iterator[tuple[str, str, str]]:
    """(table, constraint name, definition) of every foreign key that carries the tenant."""
    for reference in references():
        yield reference.table, f"wall_{reference.column}", _definition(reference)


def _definition(reference: Reference) -> str:
    if reference.bridge:
        target, key = reference.bridge.table, reference.bridge.column
    else:
        target, key = reference.target, reference.key
    return (
        f"FOREIGN KEY (tenant_id, {reference.column}) REFERENCES {target} (tenant_id, {key})"
        " DEFERRABLE INITIALLY IMMEDIATE"
    )
