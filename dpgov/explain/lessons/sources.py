"""What the lessons cite."""

from django.utils.translation import gettext_noop as _

from dpgov.explain.lessons.lesson import LessonSource

DEFINITION = LessonSource(
    _(
        "C. Dwork, F. McSherry, K. Nissim and A. Smith, Calibrating Noise to Sensitivity in "
        "Private Data Analysis, 2006."
    )
)
FOUNDATIONS = LessonSource(
    _("C. Dwork and A. Roth, The Algorithmic Foundations of Differential Privacy, 2014.")
)
WARNER = LessonSource(
    _("S. L. Warner, Randomized Response: A Survey Technique for Eliminating Bias, 1965.")
)
SHANNON = LessonSource(_("C. E. Shannon, Communication Theory of Secrecy Systems, 1949."))
SEMANTICS = LessonSource(
    _("S. P. Kasiviswanathan and A. Smith, On the Semantics of Differential Privacy, 2014.")
)
AOL = LessonSource(
    _(
        "M. Barbaro and T. Zeller, A Face Is Exposed for AOL Searcher No. 4417749, The New York "
        "Times, 9 August 2006."
    )
)
BOOSTING = LessonSource(
    _("C. Dwork, G. N. Rothblum and S. Vadhan, Boosting and Differential Privacy, 2010.")
)
OPTIMAL = LessonSource(
    _("P. Kairouz, S. Oh and P. Viswanath, The Composition Theorem for Differential Privacy, 2015.")
)
CONCENTRATED = LessonSource(_("M. Bun and T. Steinke, Concentrated Differential Privacy, 2016."))
COMPLEXITY = LessonSource(_("S. Vadhan, The Complexity of Differential Privacy, 2017."))
NETFLIX = LessonSource(
    _(
        "A. Narayanan and V. Shmatikov, Robust De-anonymization of Large Sparse Datasets, 2008: "
        "99% of the records of 500,000 people were unique by eight ratings, of which two may be "
        "wrong, and their dates to within 14 days."
    )
)
COMPOSITION_ATTACK = LessonSource(
    _(
        "S. R. Ganta, S. P. Kasiviswanathan and A. Smith, Composition Attacks and Auxiliary "
        "Information in Data Privacy, 2008."
    )
)
REVEALING = LessonSource(
    _("I. Dinur and K. Nissim, Revealing Information while Preserving Privacy, 2003.")
)
LOCAL = LessonSource(
    _(
        "S. P. Kasiviswanathan, H. K. Lee, K. Nissim, S. Raskhodnikova and A. Smith, What Can We "
        "Learn Privately?, 2011."
    )
)
CLONES = LessonSource(
    _(
        "V. Feldman, A. McMillan and K. Talwar, Hiding Among the Clones: A Simple and Nearly "
        "Optimal Analysis of Privacy Amplification by Shuffling, 2021, Theorem 3.1."
    )
)
DISTRIBUTED = LessonSource(
    _(
        "P. Kairouz, Z. Liu and T. Steinke, The Distributed Discrete Gaussian Mechanism for "
        "Federated Learning with Secure Aggregation, 2021."
    )
)
MASKS = LessonSource(
    _(
        "K. Bonawitz and others, Practical Secure Aggregation for Privacy-Preserving Machine "
        "Learning, 2017."
    )
)
PARALLEL = LessonSource(
    _("F. McSherry, An Extensible Platform for Privacy-Preserving Data Analysis (PINQ), 2009.")
)
MOMENTS = LessonSource(_("Y.-X. Wang, Revisiting Differentially Private Linear Regression, 2018."))
MINIMISATION = LessonSource(
    _("R. Bassily, A. Smith and A. Thakurta, Private Empirical Risk Minimization, 2014.")
)
