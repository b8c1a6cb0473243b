"""pure-ldp: its direct encoding and unary encoding."""

import math
from collections.abc import Sequence

from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

from bench.rivals.surveyed import measure


def estimate(truth: Sequence[int], answers: int, epsilon: float) -> Sequence[float]:
    """Its own estimates, which are numbers of people."""
    kinds = (DEClient, DEServer) if answers < 3 * math.exp(epsilon) + 2 else (UEClient, UEServer)
    client, server = (kind(epsilon=epsilon, d=answers) for kind in kinds)
    for answer in truth:
        server.aggregate(client.privatise(answer + 1))
    found = server.estimate_all(range(1, answers + 1), suppress_warnings=True)
    return [float(number) / len(truth) for number in found]


if __name__ == "__main__":
    measure(estimate)
