"""What a question computes of two declared columns. Part of `parsing`; must never look at data.

{"computed": [{"formula": "sum", "of": ["a", "b"]}]}: everything else in the plan then names the
column "a + b" like any other.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.plan.computed.asked import SIGNS, asked_formula, with_formulas
from dpgov.privacy.plan.formula import Formula, FormulaKind
from dpgov.privacy.plan.parsing.where import read_column
from dpgov.privacy.plan.problems import Problems
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema, InvalidDomain

MAX_ASKED = 10
_KEYS = ("formula", "of")


def with_computed(
    body: Mapping[str, Any], schema: DatasetSchema, problems: Problems
) -> DatasetSchema:
    """The declared columns and, after them, what this raw plan computes; each once."""
    declared = schema.declared
    entries = problems.items("computed", body.get("computed", []), most=MAX_ASKED)
    read = [
        _formula(f"computed.{place}", entry, declared, problems)
        for place, entry in enumerate(entries)
    ]
    return with_formulas(tuple(one for one in dict.fromkeys(read) if one is not None), declared)


def _formula(path: str, raw: object, schema: DatasetSchema, problems: Problems) -> Formula | None:
    body = problems.mapping(path, raw, _KEYS)
    if body is None:
        return None
    kind = _kind(f"{path}.formula", body.get("formula"), problems)
    operands = _operands(f"{path}.of", body.get("of", []), schema, problems)
    if kind is None or operands is None:
        return None
    try:
        return asked_formula(kind, operands, schema)
    except InvalidDomain as problem:
        place = 0 if problem.field == "first" else 1
        problems.add(f"{path}.of.{place}", problem.args[0])
        return None


def _kind(path: str, raw: object, problems: Problems) -> FormulaKind | None:
    if raw == FormulaKind.RATIO.value:
        problems.add(path, no_ratio())
        return None
    name = problems.choice(path, raw, [kind.value for kind in SIGNS], "formula")
    return None if name is None else FormulaKind(name)


def no_ratio() -> str:
    """Why a question divides no column by another one."""
    return said(
        "A ratio of two columns has no bounds that follow from theirs. Divide one released number "
        "by another, or let the owner declare the ratio with bounds."
    )


def _operands(
    path: str, raw: object, schema: DatasetSchema, problems: Problems
) -> list[ColumnSpec] | None:
    names: Sequence[object] = problems.items(path, raw, least=2, most=2)
    found = [
        read_column(f"{path}.{place}", name, schema, problems) for place, name in enumerate(names)
    ]
    known = [spec for spec in found if spec is not None]
    return known if len(known) == 2 else None
