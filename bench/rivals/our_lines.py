"""Our regressions, on exact moments of the same table."""

from collections.abc import Callable
from functools import cache

import numpy as np

from bench.rivals.lines import MORE_BOUNDS, OUTCOME, Numbers, columns, measure
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.release import draw
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.request import ExactAnswer, MeasureKind
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit

_NAMES = (OUTCOME, "age", "is_male", "education_num")
_TABLE = columns()
_SCHEMAS = {
    mode: DatasetSchema(
        columns=tuple(
            column_spec(name, numeric_domain(str(low), str(high), "1"), MissingRule.REQUIRE, "")
            for name, (low, high) in ((name, MORE_BOUNDS[name]) for name in _NAMES)
        ),
        unit=PrivacyUnit(),
        neighbouring=Neighbouring.ADD_REMOVE,
        group_size=1,
        max_rows=100_000,
        mode=mode,
    )
    for mode in Mode
}
_CODES = [(_TABLE[name] - MORE_BOUNDS[name][0]).astype(np.int64) for name in _NAMES]


@cache
def _prepared(predictors: tuple[str, ...], mode: Mode, price: str) -> tuple[Blueprint, ExactAnswer]:
    asked = {"statistic": "regression", "column": OUTCOME, "predictors": list(predictors)}
    unit = "epsilon" if mode is Mode.PURE else "rho"
    plan = parse_plan({"statistics": [asked], unit: price}, _SCHEMAS[mode], dataset="adult")
    blueprint = prepare(plan, _SCHEMAS[mode])
    (request,) = blueprint.requests
    cell = []
    for measured in request.measures:
        product = np.ones(len(_CODES[0]), dtype=np.int64)
        for factor in measured.factors if measured.kind is MeasureKind.PRODUCT_SUM else ():
            product *= _CODES[factor.column] // factor.width
        cell.append(int(product.sum()))
    return blueprint, (tuple(cell),)


def fit(predictors: tuple[str, ...], epsilon: float) -> Numbers:
    """One release's coefficients, at a pure ε."""
    return fit_at(predictors, epsilon, mode=Mode.PURE, price_of=str)


def fit_at(
    predictors: tuple[str, ...], epsilon: float, *, mode: Mode, price_of: Callable[[float], str]
) -> Numbers:
    """The same at the price in ε or ρ that is held against this ε."""
    blueprint, exact = _prepared(predictors, mode, price_of(epsilon))
    body = draw(blueprint, [exact])
    return np.array([statistic["cells"][0]["value"] for statistic in body["statistics"]])


if __name__ == "__main__":
    measure(fit, runs=200)
