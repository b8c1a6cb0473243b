"""What is promised, to whom, and what is declared about the data."""

from dpgov.dashboards.meaning.glossary.term import Term, Theme

PROMISE = Theme(
    "The promise",
    (
        Term(
            "differential-privacy",
            "Differential privacy",
            "A promise about a way of answering: whatever comes out would have come out with "
            "nearly the same probability if one person's data had been different or missing. So "
            "nobody can learn much about that person from it, whatever else they know or learn "
            "later.",
            ("epsilon", "neighbouring-relation", "privacy-unit"),
        ),
        Term(
            "epsilon",
            "ε (epsilon)",
            "How much “nearly” allows. The odds of a guess about one person can be multiplied "
            "by e^ε at most: by 1.11 for ε 0.1, by 2.72 for ε 1, by more than 22,000 for ε 10. "
            "Smaller is more private, and noisier. It is a limit on what anybody could learn, "
            "not a measure of what somebody did.",
            ("odds", "budget", "delta"),
        ),
        Term(
            "delta",
            "δ (delta)",
            "A small probability with which the promise of ε may fail, like one in a million. "
            "Only datasets that count in ρ have one; it should be well under 1 divided by the "
            "number of people.",
            ("rho", "epsilon"),
        ),
        Term(
            "rho",
            "ρ (rho)",
            "Another count of privacy loss (zero-concentrated differential privacy, zCDP). The "
            "ρ of many small questions adds up to a much smaller ε than their ε do. It is read "
            "as an ε at the declared δ.",
            ("delta", "composition"),
        ),
        Term(
            "odds",
            "Odds",
            "A probability put as a ratio: 50 % is 1 to 1, 75 % is 3 to 1. Privacy loss "
            "multiplies odds, which is why this product explains ε with them.",
            ("epsilon", "attacker"),
        ),
        Term(
            "attacker",
            "Attacker",
            "Whoever tries to learn something about one person. The promise is made against the "
            "best one there can be: who knows everybody else's data, chooses every question, "
            "and works together with all other analysts.",
            ("averaging-attack", "differencing"),
        ),
        Term(
            "post-processing",
            "Post-processing",
            "Whatever is computed from a release alone costs nothing more: rounding it, drawing "
            "it, adding up its groups. The promise cannot be weakened by thinking about an "
            "answer.",
            ("release",),
        ),
    ),
)
PEOPLE = Theme(
    "Who is protected",
    (
        Term(
            "privacy-unit",
            "Privacy unit",
            "Whose presence or values are hidden: each row, or each person that a column names, "
            "with all of their rows. The owner declares it once and for all.",
            ("group-size", "neighbouring-relation"),
        ),
        Term(
            "neighbouring-relation",
            "Neighbouring relation",
            "Which two tables must be hard to tell apart. “Add or remove”: one unit more or "
            "less, so that it is hidden who is in the data. “Change one”: one unit's values are "
            "others, while the number of units is public. To change values where units come and "
            "go counts as two steps: one goes and one comes.",
            ("privacy-unit", "sensitivity"),
        ),
        Term(
            "group-size",
            "Group size",
            "For how many units together the promise is made. Families and households are "
            "groups; without a setting, k people together have k times the ε of one.",
            ("privacy-unit",),
        ),
        Term(
            "population",
            "Population",
            "Datasets about the same people that share one budget, because it is the people who "
            "are protected and not the files.",
            ("budget",),
        ),
    ),
)
DECLARED = Theme(
    "What is declared about the data",
    (
        Term(
            "bounds",
            "Bounds",
            "The lowest and the highest value that a column counts with, declared without "
            "looking at the data. Values outside count as the bound. Wide bounds need more "
            "noise.",
            ("step", "sensitivity"),
        ),
        Term(
            "step",
            "Step",
            "What values of a column are rounded to, such as 1 or 0.01, so that sums are exact "
            "whole numbers of steps.",
            ("bounds",),
        ),
        Term(
            "categories",
            "Categories",
            "The list of values that a column of texts can have, as declared. Whatever is not "
            "on it counts as “other”.",
            ("domain",),
        ),
        Term(
            "domain",
            "Domain",
            "All values that a column can have: its bounds and step, or its categories.",
            ("bounds", "categories"),
        ),
        Term(
            "partition-column",
            "Partition column",
            "A category that puts each person into one part for good. Each part then has the "
            "budget for itself, and a question about some parts is paid by those alone.",
            ("budget",),
        ),
    ),
)
