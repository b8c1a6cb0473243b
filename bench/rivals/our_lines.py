"""Our regressions, on exact moments of the same table."""

from collections.abc import Callable
from functools import cache

import numpy as np

from bench.rivals.lines import MORE_BOUNDS, OUTCOME, Numbers, columns, measure
from bench.rivals.whole_numbers import blueprint_of, schemas_of
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.release import draw
from dpgov.privacy.plan.request import ExactAnswer, MeasureKind

_NAMES = (OUTCOME, "age", "is_male", "education_num")
_TABLE = columns()
_SCHEMAS = schemas_of({name: MORE_BOUNDS[name] for name in _NAMES})
_CODES = [(_TABLE[name] - MORE_BOUNDS[name][0]).astype(np.int64) for name in _NAMES]


@cache
def _prepared(predictors: tuple[str, ...], mode: Mode, price: str) -> tuple[Blueprint, ExactAnswer]:
    asked = {"statistic": "regression", "column": OUTCOME, "predictors": list(predictors)}
    blueprint = blueprint_of(asked, _SCHEMAS, mode, price)
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
