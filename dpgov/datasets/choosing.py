"""Help with choosing an ε: what it means, where to begin, and what others published.

The ranges are a beginning of ours and no rule; consequences are computed and rounded so that they
never look better than they are. Nothing here sees data.
"""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.meaning import factor_text, whom
from dpgov.privacy.accounting.decimals import NANO, as_text
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.privacy.meaning.odds import Frequency, best_guess, frequency_of, together_of
from dpgov.privacy.noise.noise import Noise, NoiseKind
from dpgov.privacy.plan.levels import USUAL_LEVEL
from dpgov.privacy.plan.schema import Neighbouring

_QUESTIONS = 20


@dataclass(frozen=True, slots=True)
class Harm:
    """Possible harm, and the ε, in nano, from and up to which to begin."""

    key: str
    words: str | Promise
    low_nano: int
    high_nano: int
    advice: str | Promise = ""

    @property
    def range_text(self) -> str:
        """ "ε 1 to 3"."""
        return gettext("ε {low} to {high}").format(
            low=as_text(self.low_nano), high=as_text(self.high_nano)
        )

    @property
    def begin_text(self) -> str:
        """The lower end of the range, as it would be typed."""
        return as_text(self.low_nano)


# Ponomareva and others (How to DP-fy ML, 2023) call ε up to 1
# strong and up to 10 reasonable; the harm decides where within, or below.
HARMS = (
    Harm("little", _("Little: it is harmless, or known anyway"), 3 * NANO, 8 * NANO),
    Harm("awkward", _("Embarrassment, or being pestered"), NANO, 3 * NANO),
    Harm("loss", _("A loss of money, work, insurance or friends"), 3 * NANO // 10, NANO),
    Harm(
        "danger",
        _("Danger to freedom, health or life"),
        NANO // 10,
        3 * NANO // 10,
        _("Ask a colleague, too, whether this data should be asked about at all."),
    ),
)


@dataclass(frozen=True, slots=True)
class Deployment:
    """What somebody published with which ε, for whom, and where that is said."""

    who: str | Promise
    amount: str | Promise
    whom: str | Promise
    source: str
    url: str = ""


DEPLOYMENTS = (
    Deployment(
        _("US Census Bureau, redistricting data of the 2020 census"),
        _("ε 19.61 at δ 1e-10: 17.14 for persons and 2.47 for housing units"),
        _("one record, counted in ρ"),
        "Census Bureau Sets Key Parameters to Protect Privacy in 2020 Census Results, June 2021",
    ),
    Deployment(
        _("Ministry of Health of Israel, live births of 2014"),
        _("ε 9.98"),
        _("a mother and newborn, for good"),
        "Hod and Canetti, arXiv 2405.00267",
        "https://arxiv.org/abs/2405.00267",
    ),
    Deployment(
        _("Google, COVID-19 Community Mobility Reports"),
        _("ε 2.64 a day"),
        _("a user on one day; every day anew"),
        "Aktay and others, arXiv 2004.04145",
        "https://arxiv.org/abs/2004.04145",
    ),
    Deployment(
        _("Wikimedia Foundation, page views by country"),
        _("ρ 0.015 a day, about ε 1 at δ 1e-7"),
        _("the first ten pages that a device sees on one day; every day anew"),
        "Pageviews Differential Privacy, README of the data at analytics.wikimedia.org",
    ),
    Deployment(
        _("Facebook and Social Science One, full URLs data set"),
        _("ε 0.45 at δ 1e-5 for each kind of action; for most users ε 1.453 over all kinds"),
        _("single actions, such as sharing one address"),
        "Messing and others, doi 10.7910/DVN/TDOAPG",
        "https://doi.org/10.7910/DVN/TDOAPG",
    ),
    Deployment(
        _("Apple, emoji and health types"),
        _("ε 4 and ε 2 a day"),
        _("a device on one day, with noise added on the device itself"),
        "Apple, Differential Privacy Overview",
    ),
)


@dataclass(frozen=True, slots=True)
class Consequences:
    """What a limit would mean. `questions` of the largest size fit; each count has this `error`.

    It is about `whom`. `present` is None where it is public who, or how many, are in the data.
    `factor` is what the odds of a guess move by about that, and about what the data says only where
    it is None.
    """

    epsilon_nano: int
    currency: Currency
    present: Frequency | None
    says: Frequency
    factor: str
    questions: int
    question_nano: int
    error: int
    group_size: int
    whom: str


def consequences(
    epsilon_nano: int,
    *,
    question_nano: int,
    currency: Currency = PURE,
    neighbouring: Neighbouring = Neighbouring.ADD_REMOVE,
    group_size: int = 1,
    rows_per_unit: int = 1,
    of_rows: bool = True,
) -> Consequences:
    """Of a limit and a largest question, both in nano-ε. Raises InvalidAmount; see Currency.

    `of_rows`: each row is protected by itself, which for somebody with several is less.
    """
    limit = currency.limit_of(epsilon_nano)

    def guesses(units: int) -> Frequency:
        amount = together_of(limit, units=units, setting=group_size, currency=currency)
        return frequency_of(best_guess(amount, currency))

    scale = group_size * rows_per_unit * NANO / question_nano
    return Consequences(
        epsilon_nano=epsilon_nano,
        currency=currency,
        present=guesses(group_size) if neighbouring is Neighbouring.ADD_REMOVE else None,
        says=guesses(neighbouring.steps_to_another_value * group_size),
        factor=factor_text(limit, currency),
        questions=limit // currency.price_of(question_nano),
        question_nano=question_nano,
        error=Noise(NoiseKind.LAPLACE, scale).tail_bound(USUAL_LEVEL),
        group_size=group_size,
        whom=whom(group_size, of_rows=of_rows),
    )


def ladder() -> list[Consequences]:
    """For single rows, with questions of a twentieth: a table to look along."""
    steps = (NANO // 10, 3 * NANO // 10, NANO, 3 * NANO, 10 * NANO)
    return [consequences(nano, question_nano=nano // _QUESTIONS) for nano in steps]


def place_of(epsilon_nano: int, harm: Harm) -> str:
    """Where an ε lies to the range of a harm, in a sentence."""
    if epsilon_nano > harm.high_nano:
        pattern = gettext(
            "For that we would begin with {range}: ε {epsilon} is more than that, so that more may "
            "be learned about each person."
        )
    elif epsilon_nano < harm.low_nano:
        pattern = gettext(
            "For that we would begin with {range}: ε {epsilon} is less than that: better protected "
            "than need be, and noisier."
        )
    else:
        pattern = gettext("For that we would begin with {range}: ε {epsilon} lies within.")
    return pattern.format(range=harm.range_text, epsilon=as_text(epsilon_nano))
