"""Our logistic regressions, on exact sums over the same table."""

from collections.abc import Callable
from functools import cache

import numpy as np

from bench.rivals.logits import BOUNDS, OUTCOME, Numbers, columns, measure
from bench.rivals.whole_numbers import blueprint_of, schemas_of
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.release import draw
from dpgov.privacy.plan.request import (
    ON_CURVE,
    WEIGHT,
    Counts,
    ExactAnswer,
    ExactRequest,
    Factor,
    MeasureKind,
    TabulatedCurve,
)

_BOUNDS = {**BOUNDS, OUTCOME: (0, 1)}
_TABLE = columns()
_SCHEMAS = schemas_of(_BOUNDS)
_CODES = [(_TABLE[name] - low).astype(np.int64) for name, (low, _high) in _BOUNDS.items()]


@cache
def _prepared(predictors: tuple[str, ...], mode: Mode, price: str) -> tuple[Blueprint, ExactAnswer]:
    asked = {"statistic": "logistic_regression", "column": OUTCOME, "predictors": list(predictors)}
    blueprint = blueprint_of(asked, _SCHEMAS, mode, price)
    return blueprint, _exact(blueprint.requests[0])


def _exact(request: ExactRequest) -> ExactAnswer:
    made = {} if request.curve is None else _curved(request.curve)
    cell = []
    for measured in request.measures:
        product = np.ones(len(_CODES[0]), dtype=np.int64)
        for factor in measured.factors if measured.kind is MeasureKind.PRODUCT_SUM else ():
            product *= made[factor.column] if factor.column in made else _number(factor)
        cell.append(int(product.sum()))
    return (tuple(cell),)


def _number(factor: Factor) -> Counts:
    found: Counts = _CODES[factor.column] // factor.width
    return found


def _curved(curve: TabulatedCurve) -> dict[int, Counts]:
    score = np.full(len(_CODES[0]), curve.plus, dtype=np.int64)
    for factor, weight in curve.weights:
        score += weight * _number(factor)
    place, part = np.divmod(np.clip(score, 0, curve.end), curve.step)
    table = np.array(curve.table, dtype=np.int64)
    value = table[place] + (table[place + 1] - table[place]) * part // curve.step
    return {ON_CURVE: value, WEIGHT: value * (curve.unit - value) // curve.coarse}


def fit(predictors: tuple[str, ...], epsilon: float) -> Numbers:
    """One release's coefficients, at a pure ε."""
    return fit_at(predictors, epsilon, mode=Mode.PURE, price_of=str)


def fit_at(
    predictors: tuple[str, ...], epsilon: float, *, mode: Mode, price_of: Callable[[float], str]
) -> Numbers:
    """The same at the price in ε or ρ that is held against this ε."""
    blueprint, exact = _prepared(predictors, mode, price_of(epsilon))
    body = draw(blueprint, [exact], _exact)
    return np.array([statistic["cells"][0]["value"] for statistic in body["statistics"]])


if __name__ == "__main__":
    measure(fit, runs=30)
