"""What is found of one case: the bounds of its answers about two tables, and of its control.

The negative control is the same question at a higher price, whose noise is smaller by a known
factor, held against the claim of the lower price: nothing of the product is changed for it.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dpgov.noise_check.answers import Answers, answers_about, together
from dpgov.noise_check.case import Case
from dpgov.noise_check.findings import Finding
from dpgov.noise_check.parties import joint_answers
from dpgov.noise_check.tables import TableFiles
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Mode, epsilon_at
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.release import Engine
from dpgov.privacy.noise.lower_bound import lower_bound_of_epsilon, lower_bound_of_rho
from dpgov.privacy.noise.noise import Floats

# One run has some fifty bounds: a false alarm in twenty thousand runs.
FALSE_ALARM = 1e-6
DELTA = Decimal("0.001")
_WHOLE = 50


@dataclass(frozen=True, slots=True)
class _Pair:
    """Answers about both tables."""

    first: Answers
    second: Answers
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
    blueprints = case.blueprints(mode, price)
    beyond = int(blueprints[0].describe()["statistics"][0].get("rows_beyond", 0))
    whole = min(_WHOLE, trials // 10)
    first, second = (
        _released(
            case, blueprints, files.engine(case.schema(mode), table, case.kept), trials, whole
        )
        for table in case.pair(mode, beyond)
    )
    return _Pair(first, second, whole)


def _released(
    case: Case, blueprints: tuple[Blueprint, ...], engine: Engine, trials: int, whole: int
) -> Answers:
    if case.parties is not None:
        return joint_answers(blueprints[0], case.parties, engine, trials, whole)
    return together([answers_about(one, engine, trials, whole) for one in blueprints])
