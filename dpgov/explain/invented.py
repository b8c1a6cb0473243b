"""Invented chance for illustrations: it follows from a fixed text, the same for everybody.

Must never come near an answer: those take their noise from OpenDP alone. SHA-256 of a text and a
number gives 56 bits, so that a figure can be checked by anybody who reads this file.
"""

import hashlib
import math


def share(seed: str, place: int) -> float:
    """A number above 0 and at most 1, as good as evenly spread."""
    digest = hashlib.sha256(seed.encode() + place.to_bytes(4, "big")).digest()
    return (int.from_bytes(digest[:7], "big") + 1) / (2**56 + 1)


def wait(seed: str, place: int) -> float:
    """An exponential wait of mean 1; the difference of two of them is a Laplace number."""
    return -math.log(share(seed, place))


def steps(seed: str, place: int, scale: float) -> int:
    """Whole Laplace noise (two-sided geometric): the difference of two rounded waits.

    Two such waits are independent and geometric, so that the difference has P(x) ~ e^(-|x|/scale).
    """
    left, right = (math.floor(scale * wait(seed, 2 * place + side)) for side in (0, 1))
    return left - right


def whole(seed: str, place: int, choices: int) -> int:
    """One of the numbers 0 to choices - 1."""
    return min(choices - 1, int(share(seed, place) * choices))
