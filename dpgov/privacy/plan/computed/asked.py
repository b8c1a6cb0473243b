"""Columns that one question computes of two declared ones, row by row: a + b, a - b, a * b.

For that question they are columns like all others: the schema that it is made ready against has
them after the declared ones (`with_formulas`), with bounds and step that follow from both. So
whatever a mechanism, a price or an interval is made of, is made as for a declared column. What
could go wrong: a bound that some row passes, or a sum that is not exact (`spans` and `check_sums`
refuse both); a name that means one column here and another there (`name_of` is the formula itself,
and a declared column of that name refuses it).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from dpgov.language.said import said
from dpgov.privacy.plan.computed.computing import bilinear, numeric
from dpgov.privacy.plan.computed.declared import formula_of
from dpgov.privacy.plan.computed.spans import derived_domain
from dpgov.privacy.plan.domains import sums_stay_exact
from dpgov.privacy.plan.formula import Formula, FormulaKind
from dpgov.privacy.plan.plan import InvalidPlan, Plan, PlanProblem
from dpgov.privacy.plan.request import CodeOfTwo
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema, InvalidDomain, MissingRule

SIGNS = {FormulaKind.SUM: "+", FormulaKind.DIFFERENCE: "-", FormulaKind.PRODUCT: "*"}
"""What is offered. A ratio has no bounds that follow wherever the second column may be zero."""
_EITHER_WAY = (FormulaKind.SUM, FormulaKind.PRODUCT)
_PLAIN = re.compile(r"\w+")


def name_of(formula: Formula) -> str:
    """The one name by which a plan speaks of it: no other formula has it."""
    one, other = map(_quoted, formula.operands)
    return f"{one} {SIGNS[formula.kind]} {other}"


def _quoted(name: str) -> str:
    """As in SQL: what is no single word stands between quotes, its own quotes doubled."""
    return name if _PLAIN.fullmatch(name) else '"{}"'.format(name.replace('"', '""'))


def asked_formula(kind: FormulaKind, operands: list[ColumnSpec], schema: DatasetSchema) -> Formula:
    """The formula over two declared columns, which may not be computed themselves.

    Those of a sum or a product stand in the schema's order, so that a + b is b + a. Raises
    InvalidDomain naming "first" or "second" where it cannot be asked of this dataset.
    """
    as_given = formula_of(kind, operands)
    names = [spec.name for spec in schema.columns]
    formula = Formula(kind, in_order(kind, as_given.operands, names))
    spec = _spec(formula, _operands(formula, schema))
    if schema.index_of(spec.name) is not None:
        words = said("“{column}” is a declared column: name it as it is.", column=spec.name)
        raise InvalidDomain("first", words)
    if not sums_stay_exact(schema, numeric(spec.domain)):
        words = said(
            "Sums of “{column}” could not be kept exact over so many rows. Its owner can declare "
            "columns with larger steps or narrower bounds.",
            column=spec.name,
        )
        raise InvalidDomain("second", words)
    return formula


def in_order(kind: FormulaKind, names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The operands as a plan has them, of these known columns; unknown ones stay where they are."""
    if kind not in _EITHER_WAY or not set(names) <= set(known):
        return tuple(names)
    return tuple(sorted(names, key=known.index))


def _spec(formula: Formula, operands: list[ColumnSpec]) -> ColumnSpec:
    """Missing where either is: what stands in for a missing value is a value."""
    domain = derived_domain(formula.kind, *(spec.domain for spec in operands))
    some = any(spec.may_be_missing for spec in operands)
    rule = MissingRule.DROP if some else MissingRule.REQUIRE
    return ColumnSpec(name_of(formula), domain, rule, formula=formula)


@lru_cache(maxsize=1024)
def with_formulas(formulas: tuple[Formula, ...], schema: DatasetSchema) -> DatasetSchema:
    """The schema with what a plan computes, after the columns that it has already.

    Raises InvalidPlan where the plan was read against other declarations.
    """
    more = [one for one in formulas if schema.index_of(name_of(one)) is None]
    if not more:
        return schema
    try:
        specs = [_spec(one, _operands(one, schema)) for one in more]
    except InvalidDomain as problem:
        raise InvalidPlan((PlanProblem("computed", problem.args[0]),)) from problem
    columns = (*schema.columns, *specs)
    return replace(schema, columns=columns, asked=schema.asked + len(specs))


def _operands(formula: Formula, schema: DatasetSchema) -> list[ColumnSpec]:
    places = [schema.index_of(name) for name in formula.operands]
    if None in places:
        gone = formula.operands[places.index(None)]
        words = said("The column “{column}” is no longer there.", column=gone)
        raise InvalidDomain("first", words)
    return [schema.columns[place] for place in places if place is not None]


def codes_of_two(schema: DatasetSchema) -> tuple[CodeOfTwo, ...]:
    """How an engine finds what the question computes, in codes alone."""
    stored = len(schema.columns) - schema.asked
    return tuple(
        _code(place, spec, schema) for place, spec in enumerate(schema.columns) if place >= stored
    )


def _code(place: int, spec: ColumnSpec, schema: DatasetSchema) -> CodeOfTwo:
    if spec.formula is None:
        raise ValueError(spec.name)
    operands = _operands(spec.formula, schema)
    form = bilinear(spec.formula.kind, spec.domain, [each.domain for each in operands])
    one, other = (schema.index_of(each.name) or 0 for each in operands)
    return CodeOfTwo(place, one, other, form)


def formulas_used(plan: Plan, schema: DatasetSchema) -> tuple[Formula, ...]:
    """Of what is computed in this schema, all that the plan names anywhere."""
    named = {item.column for item in plan.conditions} | {item.column for item in plan.group_by}
    for statistic in plan.statistics:
        named |= {statistic.column or "", *statistic.predictors}
    computed = schema.columns[len(schema.columns) - schema.asked :]
    return tuple(one.formula for one in computed if one.formula and one.name in named)
