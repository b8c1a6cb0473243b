"""What is promised, to whom, and what is declared about the data."""

from django.utils.translation import gettext_noop as _

from dpgov.explain.glossary.term import GlossaryTerm, Theme

PROMISE = Theme(
    _("The promise"),
    (
        GlossaryTerm(
            "differential-privacy",
            _("Differential privacy"),
            _(
                "A promise about a way of answering: whatever comes out would have come out with "
                "nearly the same probability if one person's data had been different or missing. "
                "So nobody learns much about that person from it that could not be learned without "
                "their data, whatever else they know or learn later."
            ),
            ("epsilon", "neighbouring-relation", "privacy-unit"),
        ),
        GlossaryTerm(
            "epsilon",
            _("ε (epsilon)"),
            _(
                "How much “nearly” allows. The odds of a guess whether one person is in the data "
                "can be multiplied by e^ε at most: by 1.11 for ε 0.1, by 2.72 for ε 1, by more "
                "than 22,000 for ε 10. Where people come and go, a guess about what the data says "
                "of somebody moves as at twice the ε. Smaller is more private, and noisier. It is "
                "a limit on what anybody could learn, not a measure of what any one person did."
            ),
            ("odds", "budget", "delta"),
        ),
        GlossaryTerm(
            "delta",
            _("δ (delta)"),
            _(
                "A small probability that comes on top of what ε allows, like one in a million: "
                "whatever anybody looks for in all answers together is at most e^ε times as likely "
                "with a person as without, plus δ. Only datasets that count in ρ have one; it "
                "should be well under 1 divided by the number of people."
            ),
            ("rho", "epsilon"),
        ),
        GlossaryTerm(
            "rho",
            _("ρ (rho)"),
            _(
                "Another count of privacy loss (zero-concentrated differential privacy, zCDP). The "
                "ρ of many small questions adds up to a much smaller ε than their ε do. It is read "
                "as an ε at the declared δ."
            ),
            ("delta", "composition"),
        ),
        GlossaryTerm(
            "odds",
            _("Odds"),
            _(
                # The signs are per cent; xgettext:no-python-format
                "A probability put as a ratio: 50% is 1 to 1, 75% is 3 to 1. Privacy loss "
                "multiplies odds, which is why this product explains ε with them."
            ),
            ("epsilon", "attacker"),
        ),
        GlossaryTerm(
            "attacker",
            _("Attacker"),
            _(
                "Someone who tries to learn about one person. The promise is made against "
                "the best one there can be: who knows everybody else's data, chooses every "
                "question, and works together with all other analysts."
            ),
            ("averaging-attack", "differencing"),
        ),
        GlossaryTerm(
            "post-processing",
            _("Post-processing"),
            _(
                "Whatever is computed from a release alone costs nothing more: rounding it, "
                "drawing it, adding up its groups. The promise cannot be weakened by thinking "
                "about an answer."
            ),
            ("release",),
        ),
    ),
)
PEOPLE = Theme(
    _("Who is protected"),
    (
        GlossaryTerm(
            "privacy-unit",
            _("Privacy unit"),
            _(
                "Whose presence or values are hidden: each row, or each person that a column "
                "names, with all of their rows. The owner declares it once and for all."
            ),
            ("group-size", "neighbouring-relation"),
        ),
        GlossaryTerm(
            "neighbouring-relation",
            _("Neighbouring relation"),
            _(
                "Which two tables must be hard to tell apart. “Add or remove”: one unit more or "
                "less, so that it is hidden who is in the data. “Change one”: one unit's values "
                "are others, while the number of units is public. To change values where units "
                "come and go counts as two steps: one goes and one comes."
            ),
            ("privacy-unit", "sensitivity"),
        ),
        GlossaryTerm(
            "group-size",
            _("Group size"),
            _(
                "For how many units together the promise is made. Families and households are "
                "groups; without a setting, k people together have k times the ε of one (k² times "
                "the ρ, where a dataset counts ρ)."
            ),
            ("privacy-unit",),
        ),
        GlossaryTerm(
            "shared-budget",
            _("Shared budget"),
            _(
                "Datasets about the same people that share one budget, because it is the people "
                "who are protected and not the files."
            ),
            ("budget",),
        ),
    ),
)
DECLARED = Theme(
    _("What is declared about the data"),
    (
        GlossaryTerm(
            "bounds",
            _("Bounds"),
            _(
                "The lowest and the highest value that a column counts with, declared without "
                "looking at the data. Values outside count as the bound. Wide bounds need more "
                "noise."
            ),
            ("step", "sensitivity"),
        ),
        GlossaryTerm(
            "step",
            _("Step"),
            _(
                "What values of a column are rounded to, such as 1 or 0.01, so that sums are exact "
                "whole numbers of steps."
            ),
            ("bounds",),
        ),
        GlossaryTerm(
            "categories",
            _("Categories"),
            _(
                "The list of values that a column of texts can have, as declared. Whatever is not "
                "on it counts as “other”."
            ),
            ("domain",),
        ),
        GlossaryTerm(
            "domain",
            _("Domain"),
            _("All values that a column can have: its bounds and step, or its categories."),
            ("bounds", "categories"),
        ),
        GlossaryTerm(
            "partition-column",
            _("Partition column"),
            _(
                "A category that puts each person into one part for good. Each part then has the "
                "budget for itself, and a question about some parts is paid by those alone, as "
                "long as nobody can come to be in two of them."
            ),
            ("budget",),
        ),
    ),
)
