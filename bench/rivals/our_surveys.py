"""Our local surveys: the thresholds of the product, drawn by the how-to page's program."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.rivals.surveyed import measure
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.local.estimate import EstimatedShare, share_of
from dpgov.privacy.local.randomiser import for_epsilon

_PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/answer-a-survey.md"


def _program() -> dict[str, Any]:
    (code,) = re.findall(r"^```python\n(.*?)^```", _PAGE.read_text(), re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"__name__": "answering"}
    exec(compile(code, _PAGE.name, "exec"), names)  # noqa: S102 - our own page
    return names


_DRAW = _program()["randomise"]


def with_intervals(
    truth: Sequence[int], answers: int, epsilon: float
) -> tuple[list[float], list[EstimatedShare]]:
    """The unbiased shares, as the API has them, and each with its interval of 95%."""
    randomiser = for_epsilon(answers, round(epsilon * NANO))
    rule = {
        "mechanism": randomiser.kind.value,
        "answers": answers,
        "kept": randomiser.kept,
        "other": randomiser.other,
        "size": randomiser.size,
    }
    counts = [0] * answers
    for answer in truth:
        for place in randomiser.places(_DRAW(rule, answer)):
            counts[place] += 1
    shares = [share_of(randomiser, count, len(truth)) for count in counts]
    return [float(share.exact) for share in shares], shares


def estimate(truth: Sequence[int], answers: int, epsilon: float) -> list[float]:
    """The unbiased shares alone."""
    return with_intervals(truth, answers, epsilon)[0]


if __name__ == "__main__":
    measure(estimate, with_intervals)
