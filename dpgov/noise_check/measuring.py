"""Answers of one case about its two tables: ingest, engine, blueprint, noise and release, as they
are deployed.

The engine reads each table once, as its exact answer does not change; the first answers then go
the whole way to a release, the others through the same mechanisms, many at once. The negative
control is the same question at a higher price, whose noise is smaller by a known factor, held
against the claim of the lower price: nothing of the product is changed for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from dpgov.noise_check.cases import DATASET, Case
from dpgov.noise_check.findings import Finding
from dpgov.noise_check.tables import TableFiles
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Mode, epsilon_at
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.release import draw
from dpgov.privacy.answer.rounds import model_of
from dpgov.privacy.mechanisms.chosen import ChosenTables
from dpgov.privacy.mechanisms.mechanism import Drawn
from dpgov.privacy.mechanisms.table import table_of
from dpgov.privacy.noise.lower_bound import lower_bound_of_epsilon, lower_bound_of_rho
from dpgov.privacy.noise.noise import Floats
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.request import ExactAnswer

# One run has some thirty bounds: a false alarm in thirty thousand runs.
FALSE_ALARM = 1e-6
DELTA = Decimal("0.001")
_WHOLE = 50
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class _Answers:
    """Answers about one table, one in a row: the noisy integers, and what was made of them."""

    raw: Floats
    values: Floats


@dataclass(frozen=True, slots=True)
class _Pair:
    """Answers about both tables."""

    first: _Answers
    second: _Answers
    whole: int

    @property
    def views(self) -> tuple[tuple[Floats, Floats], ...]:
        """Values follow from the integers; an exact number that slipped into them shows alone."""
        raw = self.first.raw, self.second.raw
        return raw, (self.first.values, self.second.values)


def measure(case: Case, mode: Mode, trials: int, files: TableFiles) -> Finding:
    """Check one case: twice two tables, `trials` answers about each."""
    claim = case.claimed(mode)
    trials = case.trials_of(trials, mode)
    honest = _answers(case, mode, claim, trials, files)
    weaker = claim * (case.weakened if mode is Mode.PURE else case.weakened**2)
    control = _answers(case, mode, weaker, trials, files)
    return Finding(
        name=case.name,
        mode=mode.value,
        claim=float(claim),
        weakened=float(case.weakened),
        trials=trials,
        whole=honest.whole,
        false_alarm=FALSE_ALARM,
        control=_bound(control, mode),
        bound=_bound(honest, mode),
        **_in_epsilon(honest, claim, mode),
    )


def _bound(found: _Pair, mode: Mode) -> float:
    if mode is Mode.PURE:
        alpha = FALSE_ALARM / 2
        return max(lower_bound_of_epsilon(*pair, alpha=alpha) for pair in found.views)
    return max(lower_bound_of_rho(*pair, alpha=FALSE_ALARM / 4) for pair in found.views)


def _in_epsilon(found: _Pair, claim: Fraction, mode: Mode) -> dict[str, Any]:
    """Under zCDP the promise at one δ as well, tested with the other half of the false alarms."""
    if mode is Mode.PURE:
        return {}
    bound = max(
        lower_bound_of_epsilon(*pair, alpha=FALSE_ALARM / 4, delta=float(DELTA))
        for pair in found.views
    )
    promised = epsilon_at(int(claim * NANO), DELTA) / NANO
    return {"epsilon_claim": promised, "epsilon_bound": bound, "delta": str(DELTA)}


def _answers(case: Case, mode: Mode, price: Fraction, trials: int, files: TableFiles) -> _Pair:
    name = "epsilon" if mode is Mode.PURE else "rho"
    schema = case.schema(mode)
    question = case.question({name: f"{Decimal(price.numerator) / price.denominator:f}"})
    blueprint = prepare(parse_plan(question, schema, dataset=DATASET, stored=True), schema)
    beyond = int(blueprint.describe()["statistics"][0].get("rows_beyond", 0))
    whole = min(_WHOLE, trials // 10)
    first, second = (
        _released(blueprint, files.exact(blueprint, table), trials, whole)
        for table in case.pair(mode, beyond)
    )
    return _Pair(first, second, whole)


def _released(blueprint: Blueprint, exact: list[ExactAnswer], trials: int, whole: int) -> _Answers:
    """Those that went the whole way first and last: learned from, and tested."""
    (mechanism,), (request,) = blueprint.mechanisms, blueprint.requests
    if isinstance(mechanism, ChosenTables):
        return _of_rounds(blueprint, mechanism, exact, trials, whole)
    table = list(table_of(request.measures, exact[0]))
    found = [_of_release(draw(blueprint, exact)) for _ in range(whole)]
    middle, left = whole // 2, trials - whole
    while left > 0:
        count = min(_AT_ONCE, left)
        found.insert(middle, _of_run(mechanism.run(table * count), count))
        left -= count
    return _Answers(
        np.concatenate([answers.raw for answers in found]),
        np.concatenate([answers.values for answers in found]),
    )


def _of_rounds(
    blueprint: Blueprint,
    mechanism: ChosenTables,
    exact: list[ExactAnswer],
    trials: int,
    whole: int,
) -> _Answers:
    """Each answer is a vector of the counts of every candidate in every round: nothing where it was
    not chosen.
    """
    table = table_of(blueprint.requests[0].measures, exact[0])
    starts = np.cumsum([0, *mechanism.adaptive.cells])
    found = np.zeros((trials, mechanism.adaptive.rounds, starts[-1]))
    for trial in range(trials):
        if trial < whole // 2 or trial >= trials - (whole - whole // 2):
            rounds = draw(blueprint, exact)["rounds"]
            drawn = [(one["place"], [n for (n,) in one["draws"][0]["cells"]]) for one in rounds]
        else:
            chosen = mechanism.choose(table, model_of(mechanism))
            drawn = [(one.place, list(one.counts)) for one in chosen]
        for number, (place, counts) in enumerate(drawn):
            found[trial, number, starts[place] : starts[place + 1]] = counts
    flat = found.reshape(trials, -1)
    return _Answers(flat, flat)


def _of_release(body: dict[str, Any]) -> _Answers:
    (drawn,) = body["draws"]
    return _table(drawn["cells"], [column["cells"] for column in body["statistics"]], 1)


def _of_run(drawn: Drawn, count: int) -> _Answers:
    return _table(drawn.raw, [column.cells for column in drawn.columns], count)


def _table(raw: Sequence[list[int]], columns: Sequence[Sequence[Any]], count: int) -> _Answers:
    values = [
        np.array([cell["value"] for cell in cells], dtype=np.float64).reshape(count, -1)
        for cells in columns
    ]
    return _Answers(np.array(raw, dtype=np.float64).reshape(count, -1), np.hstack(values))
