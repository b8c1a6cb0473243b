"""People with true answers, and how one tool's estimates of the shares are measured."""

import argparse
import json
from collections.abc import Callable, Sequence

ANSWERS = (2, 5, 20)
EPSILONS = (0.5, 1.0, 2.0)
Estimate = Callable[[Sequence[int], int, float], Sequence[float]]


def true_answers(people: int, answers: int) -> list[int]:
    """Falling shares: an answer is half as frequent as the one two places before it."""
    weights = [2.0 ** (-place / 2) for place in range(answers)]
    total, found = sum(weights), []
    for place, weight in enumerate(weights):
        found += [place] * round(people * weight / total)
    return (found + [0] * people)[:people]


def measure(estimate: Estimate) -> None:
    """Print the root mean squared error of a share, by number of answers and ε, as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--whole", action="store_true", help="cut at 0 and make them add up")
    options = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    for answers in ANSWERS:
        truth = true_answers(options.people, answers)
        shares = [truth.count(place) / len(truth) for place in range(answers)]
        for epsilon in EPSILONS:
            squares = [
                (estimated - share) ** 2
                for _ in range(options.runs)
                for estimated, share in zip(
                    _finished(estimate(truth, answers, epsilon), options.whole), shares, strict=True
                )
            ]
            error = (sum(squares) / len(squares)) ** 0.5
            found.setdefault(str(answers), {})[str(epsilon)] = error
    print(json.dumps(found))


def _finished(shares: Sequence[float], whole: bool) -> Sequence[float]:
    if not whole:
        return shares
    cut = [max(0.0, share) for share in shares]
    return [share / (sum(cut) or 1.0) for share in cut]
