"""Reports of a local survey, drawn as the command line draws them, for two people who answer
otherwise. The control draws for a higher ε, held against the claim of the lower one.
"""

from fractions import Fraction

import numpy as np

from dpgov.noise_check.case import SurveyCase
from dpgov.noise_check.findings import Finding
from dpgov.noise_check.measuring import FALSE_ALARM
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.local.drawing import randomise
from dpgov.privacy.local.randomiser import LocalKind, Randomiser, for_epsilon
from dpgov.privacy.noise.lower_bound import lower_bound_of_epsilon
from dpgov.privacy.noise.noise import Floats


def measure_reports(case: SurveyCase, trials: int) -> Finding:
    """Check one kind of survey: its reports of each of two people, and as many for the control.

    Every one is a whole report, as it would be sent.
    """
    trials = int(trials * case.share)
    return Finding(
        name=case.name,
        mode=Mode.PURE.value,
        claim=float(case.claim),
        weakened=float(case.weakened),
        trials=trials,
        whole=trials,
        false_alarm=FALSE_ALARM,
        bound=_bound(case, case.claim, trials),
        control=_bound(case, case.claim * case.weakened, trials),
    )


def _bound(case: SurveyCase, epsilon: Fraction, trials: int) -> float:
    randomiser = for_epsilon(case.answers, int(epsilon * NANO))
    first, second = (_drawn(randomiser, answer, trials) for answer in (0, 1))
    return lower_bound_of_epsilon(first, second, alpha=FALSE_ALARM)


def _drawn(randomiser: Randomiser, answer: int, trials: int) -> Floats:
    """A row for each report: the answer that it names, or a number for each of its bits."""
    reports = [randomise(randomiser, answer) for _ in range(trials)]
    if randomiser.kind is LocalKind.RESPONSE:
        return np.array([[int(report)] for report in reports], dtype=np.float64)
    return np.array([[int(bit) for bit in report] for report in reports], dtype=np.float64)
