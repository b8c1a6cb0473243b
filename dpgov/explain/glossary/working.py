"""How answers are made and paid for, and what stops attacks."""

from django.utils.translation import gettext_noop as _

from dpgov.explain.glossary.term import GlossaryTerm, Theme

ANSWERS = Theme(
    _("How answers are made"),
    (
        GlossaryTerm(
            "sensitivity",
            _("Sensitivity"),
            _(
                "How far one protected group can move an exact answer at most. A count moves by 1 "
                "for each row, a sum by the larger bound. Noise is made as wide as this needs."
            ),
            ("noise", "bounds"),
        ),
        GlossaryTerm(
            "noise",
            _("Noise"),
            _(
                "A random whole number of steps that is added to the exact answer. Its width "
                "follows from the sensitivity and the price alone and is public; its value is not."
            ),
            ("noise-scale", "mechanism"),
        ),
        GlossaryTerm(
            "noise-scale",
            _("Noise scale"),
            _(
                "How wide the noise is: b of discrete Laplace noise, about the usual error; σ of "
                "discrete Gaussian noise, its standard deviation."
            ),
            ("noise",),
        ),
        GlossaryTerm(
            "mechanism",
            _("Mechanism"),
            _(
                "A way of answering that keeps the promise: discrete Laplace or Gaussian noise on "
                "counts and sums, a noisy choice among candidates for medians."
            ),
            ("noise",),
        ),
        GlossaryTerm(
            "release",
            _("Release"),
            _(
                "A published noisy answer. It is stored as it was drawn: asking for the same again "
                "gives the same numbers for nothing."
            ),
            ("charge", "post-processing"),
        ),
        GlossaryTerm(
            "accuracy",
            _("Accuracy"),
            _(
                "How far a released number may be from the exact one, said with a confidence: 95% "
                "means that it holds for 95 of 100 answers. It follows from the noise, not the "
                "data."
            ),
            ("noise",),
        ),
    ),
)
BUDGET = Theme(
    _("How it is paid"),
    (
        GlossaryTerm(
            "budget",
            _("Budget"),
            _(
                "The limit on the loss of all answers about the same people together. What is "
                "spent never comes back, whoever spent it."
            ),
            ("limit", "remaining", "allocation"),
        ),
        GlossaryTerm(
            "limit",
            _("Limit"),
            _(
                "The most that a budget may ever come to. It can be lowered; raising it takes two "
                "persons."
            ),
            ("budget",),
        ),
        GlossaryTerm(
            "quote",
            _("Quote"),
            _(
                "What a question would cost and how exact its answer would be, before anything is "
                "spent. Looking at it is free."
            ),
            ("charge", "accuracy"),
        ),
        GlossaryTerm(
            "reservation",
            _("Reservation"),
            _(
                "What a question on its way holds of a budget. It becomes a charge, or is given "
                "back if the data was never opened."
            ),
            ("charge",),
        ),
        GlossaryTerm(
            "charge",
            _("Charge"),
            _(
                "What was paid for good. One charge has one release at most, and it can't be "
                "changed."
            ),
            ("release", "reservation"),
        ),
        GlossaryTerm(
            "committed",
            _("Committed"),
            _("What is charged and what is reserved, together."),
            ("charge", "reservation"),
        ),
        GlossaryTerm(
            "remaining",
            _("Remaining"),
            _("What of a limit is neither charged nor reserved."),
            ("limit",),
        ),
        GlossaryTerm(
            "allocation",
            _("Allocation"),
            _(
                "A part of a dataset's budget that one analyst or project may use. The "
                "dataset's own limit binds whatever the allocations add up to."
            ),
            ("budget",),
        ),
        GlossaryTerm(
            "composition",
            _("Composition"),
            _(
                "How losses add up over many answers. ε adds up as it is; ρ adds up and is then "
                "read as an ε, which is less for many small questions."
            ),
            ("rho", "budget"),
        ),
    ),
)
ATTACKS = Theme(
    _("Attacks, and what stops them"),
    (
        GlossaryTerm(
            "averaging-attack",
            _("Averaging attack"),
            _(
                "Asking the same again and again, so that the noise cancels out in the mean. A "
                "stored answer is given again instead of a new one, and each new one costs until "
                "the budget is used up."
            ),
            ("budget", "release"),
        ),
        GlossaryTerm(
            "differencing",
            _("Differencing attack"),
            _(
                "Asking for everybody and for everybody but one, and subtracting. Both answers are "
                "noisy and both are paid for, so that the difference tells no more than the "
                "promise allows."
            ),
            ("composition",),
        ),
        GlossaryTerm(
            "linkage",
            _("Linkage"),
            _(
                "Putting a release together with other sources. The promise holds against it; it "
                "does not make those other sources safe."
            ),
            ("attacker",),
        ),
    ),
)
