"""Which tables the wall is about, read from the models."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db.models import Field, ForeignKey, Model

from dpgov.tenants.wall.rules import AUDITED, AUDITED_TOO, BRIDGES, RULES, Bridge, Rule

_OURS = "dpgov."


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key from one tenant's row to another row, and where it must lead."""

    table: str
    column: str
    target: str
    key: str
    bridge: Bridge | None


def our_models() -> list[type[Model]]:
    """Every model of our own rooms that has a table."""
    ours = (m for m in apps.get_models() if m.__module__.startswith(_OURS))
    return sorted((m for m in ours if m._meta.managed), key=lambda model: model._meta.db_table)


def has_tenant(model: type[Model]) -> bool:
    """Whether each row of the table belongs to one tenant."""
    return any(field.column == "tenant_id" for field in model._meta.concrete_fields)


def walled() -> Iterator[tuple[type[Model], Rule]]:
    """The tables behind the wall, with their rules."""
    for model in our_models():
        if model._meta.label in RULES:
            yield model, RULES[model._meta.label]
        elif has_tenant(model):
            yield model, Rule()


def is_audited(model: type[Model]) -> bool:
    """Whether an auditor may read the table, or some columns of it."""
    return model._meta.label.startswith(AUDITED) or model._meta.label in AUDITED_TOO


def references() -> Iterator[Reference]:
    """Every foreign key between two rows that both belong to a tenant."""
    for model in our_models():
        if not has_tenant(model):
            continue
        for field in model._meta.concrete_fields:
            if isinstance(field, ForeignKey) and _leads_to_a_tenant_s_row(field):
                bridge = BRIDGES.get((model._meta.label, field.name))
                if bridge or (model._meta.label, field.name) not in BRIDGES:
                    yield _reference(model, field, bridge)


def _leads_to_a_tenant_s_row(field: "ForeignKey[Any, Any]") -> bool:
    target: Any = field.related_model
    return target in our_models() and has_tenant(target)


def _reference(
    model: type[Model], field: "ForeignKey[Any, Any]", bridge: Bridge | None
) -> Reference:
    target: Field[Any, Any] = field.target_field
    return Reference(
        table=model._meta.db_table,
        column=field.column,
        target=target.model._meta.db_table,
        key=str(target.column),
        bridge=bridge,
    )
