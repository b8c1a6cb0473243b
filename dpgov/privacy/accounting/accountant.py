"""What the guarantee of one unit means for groups of them.

Must never round in the analyst's favour, and never look at an answer.
"""

from decimal import ROUND_CEILING, Decimal, localcontext

_DIGITS = 60


def epsilon_of_group(nano: int, size: int) -> int:
    """ε of any `size` units together, in nano-ε, when one unit has `nano`: kε."""
    _check_group(nano, size)
    return nano * size


def delta_of_group(delta: Decimal, epsilon_nano: int, size: int) -> Decimal | None:
    """δ of `size` units at kε, or None when there is no guarantee (the bound passes 1).

    δ (e^{kε} - 1)/(e^ε - 1) = δ (1 + e^ε + ... + e^{(k-1)ε}), rounded up to 12 digits
    (Vadhan, The Complexity of Differential Privacy, lemma 2.2).
    """
    _check_group(epsilon_nano, size)
    if not (delta.is_finite() and 0 <= delta <= 1):
        raise ValueError("δ lies between 0 and 1.")
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_CEILING
        growth = Decimal(epsilon_nano).scaleb(-9).exp().next_plus()
        bound = term = delta
        for _ in range(size - 1):
            term *= growth
            bound += term
            if bound > 1:
                return None
        context.prec = 12
        return +bound


def _check_group(nano: int, size: int) -> None:
    if type(nano) is not int or nano < 0:
        raise ValueError("An amount is a whole number of nano-ε, not below zero.")
    if type(size) is not int or size < 1:
        raise ValueError("A group has at least one unit.")
