"""Bounds of one question, narrower than those of its column: public, a part of the plan.

A narrower clip has less influence of each row and so less noise, and moves what lies outside onto
its ends. It is on the column's own lattice, so that every sum stays an exact integer.
"""

from decimal import Decimal
from fractions import Fraction

from dpgov.language.said import said
from dpgov.privacy.plan.plan import Clip
from dpgov.privacy.plan.schema import ClippedDomain, InvalidDomain, NumericDomain


def clipped_domain(domain: NumericDomain, clip: Clip) -> ClippedDomain:
    """The column as this question sees it.

    Raises InvalidDomain naming "from" or "to": outside of the declared bounds, off their steps, or
    not rising.
    """
    low, high = (
        _code(field, text, domain) for field, text in zip(("from", "to"), clip, strict=True)
    )
    if low >= high:
        raise InvalidDomain("to", said("Clip to a value above the one that you clip from."))
    return ClippedDomain(Decimal(clip[0]), Decimal(clip[1]), domain.step, low)


def _code(field: str, text: str, domain: NumericDomain) -> int:
    code = (Fraction(text) - Fraction(domain.lower)) / Fraction(domain.step)
    if not 0 <= code <= domain.top:
        raise InvalidDomain(
            field,
            said(
                "Clip within the declared bounds, {lower} to {upper}.",
                lower=f"{domain.lower:f}",
                upper=f"{domain.upper:f}",
            ),
        )
    if code.denominator != 1:
        raise InvalidDomain(
            field,
            said(
                "Values go in steps of {step} from {lower}: clip at one of them.",
                step=f"{domain.step:f}",
                lower=f"{domain.lower:f}",
            ),
        )
    return code.numerator
