"""The numbers that lessons tell, published or invented, in the order of the lessons.

A formula takes them from here, and a test reads each where it is said. What can be chosen stands
with its control.
"""

from decimal import Decimal
from fractions import Fraction

from dpgov.privacy.accounting.decimals import NANO

# The definition, and the loss of one answer: the exact answer without somebody, how far they move
# it, and ε.
WITHOUT, MOVES, ANSWER_EPSILON = 5, 7, Fraction(1, 2)

# The ladder. Searches of about 650,000 people were published in 2006; sources round e^12 up to
# this factor.
AOL_FACTOR_TOLD = 164_000
AOL_CHANCE = Fraction(1, 10**12)

# Randomised response, invented: how many of how many send yes.
COIN_PEOPLE, COIN_YES = 1_000, 400

# Alice, invented: what an insurer believes of a smoker before the study, and after one without her.
RISK_BEFORE, RISK_WITHOUT_ALICE = Decimal("0.05"), Decimal("0.20")

# Netflix Prize, 2006; often told with a tenth of its ratings.
NETFLIX_PEOPLE = 480_189
NETFLIX_RATINGS = 100_480_507
NETFLIX_PEOPLE_TOLD = 500_000
NETFLIX_RATINGS_TOLD = 10_000_000
# Invented: how many people share a fact that is known about somebody.
FACT_SHARED = Fraction(1, 10)

# Two lists together: ε of each release, had it been private.
RELEASE_EPSILON = Fraction(1, 2)

# Asking again and again.
AGAIN_EPSILON = 0.5

# Reconstruction, invented: people with a secret bit each, and sums over halves of them.
SECRETS, SUMS = 20, 80

# Many questions: ε of each, and the δ of all together.
QUESTION_NANO, QUESTIONS_DELTA = NANO // 10, Decimal("1e-6")

# Dwork and Roth, section 3.5: 10,000 databases over a life, each with this ε; the loss that is
# exceeded.
LIFE_DATABASES = 10_000
LIFE_EPSILON = Fraction(1, 801)
LIFE_LOG_DELTA = Decimal(-32)
LIFE_LOSS = Fraction(1)

# Why δ must be far below 1/n.
PUBLISHED_PEOPLE = 100_000

# Groups, and distance: ε of one person, and of one row that comes or goes.
GROUP_EPSILON, DISTANCE_EPSILON = Decimal("0.2"), Decimal("0.5")

# Bounds, invented: nobody is older, of so many people.
OLDEST, AGED_PEOPLE, AGE_EPSILON = 110, 1_000, Decimal("0.1")

# Salaries, invented.
USUAL_SALARIES, MILLIONAIRES, SALARY_EPSILON = 990, 10, Decimal("0.1")

# Editors by country; scholarships of at most so much each.
EDITORS_EPSILON = Decimal("0.5")
SCHOLARSHIPS_EPSILON, SCHOLARSHIP_AT_MOST = Decimal("0.5"), 1_000

# One district, invented: the share of speakers among so many people, and in the country.
DISTRICT_SHARE, DISTRICT_PEOPLE, COUNTRY_SHARE = Decimal("0.991"), 1_000, Decimal("0.155")

# Noise in the data or in the answer.
ROWS_EPSILON = Decimal("0.5")

# Two ways to a regression, invented: how far a walk begins from its end, in deviations of one draw,
# and the share of the way that each step takes.
WALK_AWAY, WALK_PACE = 100, Fraction(1, 2)

# Trusting nobody or a curator: so many reports that somebody trusted mixes, ε of each, δ of all.
MIXED_PEOPLE, MIXED_EPSILON, MIXED_DELTA = 10_000, 1, Decimal("1e-6")

# A slip: the bias of a bit.
BIT_BIAS = Fraction(1, 10)
