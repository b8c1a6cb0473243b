"""How sure a stated error is: the levels at which each error is told, and the usual one of them."""

from fractions import Fraction

CONFIDENCE_LEVELS = (Fraction(90, 100), Fraction(95, 100), Fraction(99, 100))
# What a page shows, and what is meant where nobody names another.
USUAL_LEVEL = CONFIDENCE_LEVELS[1]
# As statements of errors name it.
USUAL_STATED = float(USUAL_LEVEL)
