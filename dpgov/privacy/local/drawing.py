"""A report drawn here and not in a browser: by OpenDP's own mechanisms, for the command line.

The same thresholds as in a browser, as doubles: T / 2^32 is one exactly. Unary encoding is not in
OpenDP; each of its bits is OpenDP's randomised response of a bit. Every answer draws as often.
"""

from dpgov.privacy.local.randomiser import LocalKind, Randomiser
from dpgov.privacy.noise.sampling import bit_response, place_response


def randomise(randomiser: Randomiser, answer: int) -> str:
    """A report for this answer, by its place. Raises ValueError for a place that is none."""
    if type(answer) is not int or not 0 <= answer < randomiser.answers:
        raise ValueError("there is no such answer")
    if randomiser.kind is LocalKind.RESPONSE:
        draw = place_response(randomiser.answers, float(randomiser.p))
        return randomiser.written(int(draw(answer)))
    true_bit, other_bit = bit_response(0.5), bit_response(float(1 - randomiser.q))
    drawn = [
        true_bit(True) if place == answer else other_bit(False)
        for place in range(randomiser.answers)
    ]
    return "".join("1" if bit else "0" for bit in drawn)
