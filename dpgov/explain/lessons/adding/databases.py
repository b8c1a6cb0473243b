"""One person in k databases, each with ε: what is known about the sum of their losses.

Two sorts of statement are told apart here. Accounts give an (ε, δ): basic composition kε; Dwork,
Rothblum and Vadhan 2010; Kairouz, Oh and Viswanath 2015; zCDP, kε tanh(ε/2) of ρ read at δ. The
other sort is about the tail of the loss itself: that it exceeds 1 with probability e^-32 at most is
no consequence of an (ε, δ), but of Hoeffding's bound, or of the exact tail of the worst mechanism.
That is randomised response, a binomial number of losses +ε among -ε. At k = 10,000 and ε = 1/801
Hoeffding gives e^-31.6 and the exact tail is e^-34.6, so that e^-32 holds.
"""

from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import chosen_bar, decimals, drawn, line, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import (
    advanced_of_2010,
    advanced_of_2015,
    exponential,
    hoeffding,
    loss_tail,
    pure_as_rho,
)
from dpgov.explain.lessons.sources import BOOSTING, CONCENTRATED, FOUNDATIONS, OPTIMAL
from dpgov.explain.lessons.told import LIFE_DATABASES, LIFE_EPSILON, LIFE_LOG_DELTA, LIFE_LOSS
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import epsilon_at

COUNTS = ("1", "10", "100", "1000", "3000", str(LIFE_DATABASES), "20000")
EPSILONS = ("1/10000", str(LIFE_EPSILON), "1/100", "1/10", "1")
LOG_DELTAS = ("-8", "-14", "-20", str(LIFE_LOG_DELTA), "-50")
_SAID_DELTAS = ("e^−8", "e^−14", "e^−20", "e^−32", "e^−50")
# As much as a figure can show of "never".
_FLOOR = Decimal(-60)


def accounts(count: int, epsilon: Fraction, log_delta: Decimal) -> list[Decimal]:
    """ε of everything: basic, of 2010, of 2015, and by zCDP; the last three but for δ."""
    rho = (pure_as_rho(count, epsilon) * NANO).to_integral_value(rounding=ROUND_CEILING)
    concentrated = Decimal(epsilon_at(int(rho), exponential(log_delta))).scaleb(-9)
    return [
        Decimal(count) * epsilon.numerator / epsilon.denominator,
        advanced_of_2010(count, epsilon, log_delta),
        advanced_of_2015(count, epsilon, log_delta),
        concentrated,
    ]


def scene(at: Chosen) -> Scene:
    """Bars of the accounts; and the tail of the loss by Hoeffding and exactly."""
    count, epsilon = int(at["databases"]), Fraction(at["epsilon"])
    log_delta = Decimal(at["delta"])
    found = accounts(count, epsilon, log_delta)
    bound, exact = hoeffding(count, epsilon, LIFE_LOSS), loss_tail(count, epsilon, LIFE_LOSS)
    names = (
        _("Basic composition"),
        _("Dwork, Rothblum, Vadhan 2010"),
        _("Kairouz, Oh, Viswanath 2015"),
        "zCDP",
    )
    texts = [decimals(one, 4) for one in found]
    best = min(range(4), key=lambda place: found[place])
    sums = drawn(
        chosen_bar(found, best, texts, sideways=True),
        _("ε of all together"),
        "",
        yaxis={
            "tickvals": [0, 1, 2, 3],
            "ticktext": ["2006", "2010", "2015", "zCDP"],
            "range": [3.5, -0.5],
        },
        showlegend=False,
    )
    said = _(
        "{count} databases at ε {epsilon}: the sum is {basic}, the best account {best} but for δ; "
        "and the loss exceeds 1 with probability {tail}."
    ).format(
        count=shown(count), epsilon=epsilon, basic=texts[0], best=texts[best], tail=_power(exact)
    )
    rows = [
        *zip(names, texts, strict=True),
        (_("loss above 1, by Hoeffding at most"), _power(bound)),
        (_("loss above 1, exactly (worst mechanism)"), _power(exact)),
    ]
    accounts_caption = _(
        "What an account proves for all databases together, but for δ (the first one without any); "
        "the smallest is in colour."
    )
    tail_caption = _(
        "How unlikely it is that one person's loss exceeds so much. (ε, δ) statements do not say "
        "this; Hoeffding's bound does, and the exact tail of randomised response, than which no "
        "mechanism is worse."
    )
    pictures = (
        Picture(sums, accounts_caption),
        Picture(_tails(count, epsilon), tail_caption),
    )
    table = LessonTable((_("Statement"), _("value")), tuple(rows))
    return Scene(said, pictures, table)


def _tails(count: int, epsilon: Fraction) -> dict[str, object]:
    most = min(count * epsilon, Fraction(2))
    places = [most * step / 24 for step in range(24)]
    curves = [
        [max(_FLOOR, tail(count, epsilon, place)) for place in places]
        for tail in (hoeffding, loss_tail)
    ]
    return drawn(
        [
            line(places, curves[0], _("Hoeffding, at most"), "2", dash=True),
            line(places, curves[1], _("exactly"), "1"),
        ],
        _("loss L"),
        _("ln of the chance"),
        yaxis={"range": [float(_FLOOR) - 2, 2]},
    )


def _power(log: Decimal) -> str:
    if log == Decimal("-Infinity"):
        return "0"
    return f"e^{log:.1f}".replace("-", "−") if log < Decimal("-0.05") else shown(log.exp(), 3)


LESSON = Lesson(
    slug="many-databases",
    title=gettext_noop("One person, many databases"),
    question=gettext_noop("What do ten thousand databases over a life add up to?"),
    sentence=gettext_noop(
        "Ten thousand databases at ε 1/801 sum to 12.49 at worst, and yet their loss exceeds 1 "
        "with a probability below e^−34."
    ),
    controls=(
        Control("databases", gettext_noop("Databases k"), COUNTS, str(LIFE_DATABASES)),
        Control("epsilon", gettext_noop("ε of each"), EPSILONS, str(LIFE_EPSILON)),
        Control("delta", "δ", LOG_DELTAS, str(LIFE_LOG_DELTA), words=_SAID_DELTAS),
    ),
    scene=scene,
    sources=(FOUNDATIONS, BOOSTING, OPTIMAL, CONCENTRATED),
)
