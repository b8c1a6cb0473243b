"""Questions with blanks: a plan in which some values are named parameters, and how they are filled.

A parameter stands where a value of a filter or the categories of a grouping would: as the JSON
{"parameter": "ward"}. It is declared as a choice among declared categories of its column, or as a
range inside its column's declared bounds. A function of declarations and of what is typed; never
of data.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.plan.blanks import Blank, blanks_of, with_value
from dpgov.privacy.plan.calendar import span_of
from dpgov.privacy.plan.parsing.computed import with_computed
from dpgov.privacy.plan.parsing.where import (
    rank_of,
    read_category,
    read_column,
    read_date,
    read_number,
)
from dpgov.privacy.plan.problems import Problems, shortened
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    DateDomain,
    NumericDomain,
)

MAX_PARAMETERS = 10
_NAME = re.compile(r"\w[\w -]{0,39}")
_KEYS = ("name", "column", "choices", "from", "to")


@dataclass(frozen=True, slots=True)
class Parameter:
    """What may be put in: some of `choices`, or one value from `lowest` to `highest`."""

    name: str
    column: str
    choices: tuple[str, ...] = ()
    lowest: str = ""
    highest: str = ""

    def as_json(self) -> dict[str, Any]:
        """{"name", "column"} and {"choices"} or {"from", "to"}; numbers are exact texts."""
        head: dict[str, Any] = {"name": self.name, "column": self.column}
        if self.choices:
            return head | {"choices": list(self.choices)}
        return head | {"from": self.lowest, "to": self.highest}


def read_parameters(
    raw: object, plan: Mapping[str, Any], schema: DatasetSchema
) -> tuple[Parameter, ...]:
    """The declared parameters of a plan with blanks; raises InvalidPlan with every problem."""
    problems = Problems()
    schema = with_computed(plan, schema, problems)
    blanks: dict[str, Blank] = {}
    for blank in blanks_of(plan):
        if (name := blank.parameter) is None:
            continue
        if name in blanks:
            refusal = said("“{name}” stands in two places; call one of them otherwise.", name=name)
            problems.add("parameters", refusal)
        blanks[name] = blank
    entries = problems.items("parameters", raw, most=MAX_PARAMETERS)
    found = [
        one
        for place, entry in enumerate(entries)
        if (one := _parameter(f"parameters.{place}", entry, blanks, schema, problems))
    ]
    names = [one.name for one in found]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.add("parameters", said("“{name}” is there twice.", name=name))
    for name in sorted(set(blanks) - set(names)):
        problems.add("parameters", said("Say what “{name}” may be.", name=shortened(name)))
    problems.raise_if_any()
    return tuple(found)


def filled(
    plan: Mapping[str, Any],
    parameters: Sequence[Parameter],
    values: object,
    schema: DatasetSchema,
) -> dict[str, Any]:
    """The plan with what was chosen in its blanks; raises InvalidPlan at `values.<name>`.

    Nothing else of the plan can be changed by any value: each is one of the declared choices, or a
    number or date within the declared range.
    """
    problems = Problems()
    schema = with_computed(plan, schema, problems)
    known = {one.name: one for one in parameters}
    typed = problems.mapping("values", {} if values is None else values, tuple(known)) or {}
    made: dict[str, Any] = dict(plan)
    for blank in blanks_of(plan):
        if (name := blank.parameter) is None:
            continue
        value = _chosen(f"values.{name}", typed.get(name), blank, known[name], schema, problems)
        made = with_value(made, blank.path, value)
    problems.raise_if_any()
    return made


def sample(plan: Mapping[str, Any], parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Values with which the plan can be looked at: every choice, or the ends of the range."""
    known = {one.name: one for one in parameters}
    values: dict[str, Any] = {}
    for blank in blanks_of(plan):
        if (name := blank.parameter) is None or name not in known:
            continue
        one = known[name]
        if one.choices:
            values[name] = list(one.choices) if blank.several else one.choices[0]
        else:
            values[name] = one.highest if blank.last else one.lowest
    return values


def _parameter(
    path: str,
    raw: object,
    blanks: Mapping[str, Blank],
    schema: DatasetSchema,
    problems: Problems,
) -> Parameter | None:
    body = problems.mapping(path, raw, _KEYS)
    if body is None:
        return None
    name = body.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        message = said("A name has 1 to 40 letters, digits, spaces, hyphens and underscores.")
        problems.add(f"{path}.name", message)
        return None
    blank = blanks.get(name)
    if blank is None:
        problems.add(f"{path}.name", said("“{name}” stands nowhere in the question.", name=name))
        return None
    spec = read_column(f"{path}.column", body.get("column"), schema, problems)
    if spec is None or spec.name != blank.column:
        message = said("“{name}” is a value of “{column}”.", name=name, column=blank.column)
        problems.add(f"{path}.column", message)
        return None
    if isinstance(spec.domain, CategoryDomain):
        return _choice(path, name, (spec.name, spec.domain), body, problems)
    return _range(path, name, blank, spec, body, problems)


def _choice(
    path: str,
    name: str,
    of: tuple[str, CategoryDomain],
    body: Mapping[str, Any],
    problems: Problems,
) -> Parameter | None:
    (column, domain), where = of, f"{path}.choices"
    most = max(1, len(domain.categories))
    entries = problems.items(where, body.get("choices"), least=1, most=most)
    chosen = [read_category(where, entry, domain, problems) for entry in entries]
    if None in chosen or not chosen:
        return None
    return Parameter(name, column, tuple(dict.fromkeys(one for one in chosen if one)))


def _range(
    path: str,
    name: str,
    blank: Blank,
    spec: ColumnSpec,
    body: Mapping[str, Any],
    problems: Problems,
) -> Parameter | None:
    if blank.several:
        message = said("A list of numbers cannot be left open; use a range of one value.")
        problems.add(f"{path}.name", message)
        return None
    low = _read(f"{path}.from", body.get("from"), spec, problems)
    high = _read(f"{path}.to", body.get("to"), spec, problems)
    if low is None or high is None:
        return None
    if rank_of(low, spec) > rank_of(high, spec):
        problems.add(f"{path}.to", said("{low} is above {high}; swap them.", low=low, high=high))
        return None
    least, most = _bounds(spec.domain)
    if rank_of(low, spec) < least or _end(high, spec) > most:
        message = said("This is outside the declared range of “{column}”.", column=spec.name)
        problems.add(f"{path}.from", message)
        return None
    return Parameter(name, spec.name, lowest=low, highest=high)


def _bounds(domain: NumericDomain | CategoryDomain) -> tuple[Decimal, Decimal]:
    """Of a column of numbers or dates."""
    if isinstance(domain, DateDomain):
        first, last = span_of(domain.text(0)), span_of(domain.text(domain.top))
        return Decimal(first.start), Decimal(last.end)
    if isinstance(domain, NumericDomain):
        return domain.lower, domain.upper
    return Decimal(0), Decimal(0)


def _end(value: str, spec: ColumnSpec) -> Decimal:
    """Where a value ends: of a date, its whole period."""
    if isinstance(spec.domain, DateDomain):
        return Decimal(span_of(value).end)
    return rank_of(value, spec)


def _read(path: str, raw: object, spec: ColumnSpec, problems: Problems) -> str | None:
    read = read_date if isinstance(spec.domain, DateDomain) else read_number
    return read(path, raw, problems)


def _chosen(
    path: str,
    raw: object,
    blank: Blank,
    known: Parameter,
    schema: DatasetSchema,
    problems: Problems,
) -> Any:
    if known.choices:
        return _of_choices(path, raw, blank, known, problems)
    index = schema.index_of(known.column)
    if index is None:
        problems.add(path, said("Unknown column “{name}”.", name=shortened(known.column)))
        return None
    spec = schema.columns[index]
    value = None if isinstance(spec.domain, CategoryDomain) else _read(path, raw, spec, problems)
    if value is None:
        return None
    below = rank_of(value, spec) < rank_of(known.lowest, spec)
    if below or _end(value, spec) > _end(known.highest, spec):
        message = said("Choose from {low} to {high}.", low=known.lowest, high=known.highest)
        problems.add(path, message)
    return value


def _of_choices(path: str, raw: object, blank: Blank, known: Parameter, problems: Problems) -> Any:
    if not blank.several:
        return problems.choice(path, raw, known.choices, "category")
    entries = problems.items(path, raw, least=1, most=len(known.choices))
    return [problems.choice(path, entry, known.choices, "category") for entry in entries]
