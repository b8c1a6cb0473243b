"""multi-freq-ldpy: its generalised randomised response and optimised unary encoding."""

import math
from collections.abc import Sequence

from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client

from bench.rivals.surveyed import measure


def estimate(truth: Sequence[int], answers: int, epsilon: float) -> Sequence[float]:
    """Its own estimates by matrix inversion."""
    if answers < 3 * math.exp(epsilon) + 2:
        reports = [GRR_Client(answer, answers, epsilon) for answer in truth]
        return [float(share) for share in GRR_Aggregator_MI(reports, answers, epsilon)]
    bits = [UE_Client(answer, answers, epsilon, True) for answer in truth]
    return [float(share) for share in UE_Aggregator_MI(bits, epsilon, True)]


if __name__ == "__main__":
    measure(estimate)
