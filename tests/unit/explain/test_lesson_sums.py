"""M8: what adds up and what is chosen, each number against its formula."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from scipy import stats

from dpgov.explain.lessons.adding import composition, databases, delta, distance, groups
from dpgov.explain.lessons.choosing import (
    bounds,
    district,
    local,
    parts,
    regression,
    salaries,
    scholarships,
    slips,
    together,
    where_noise,
)
from dpgov.explain.lessons.lesson import Lesson, LessonTable
from dpgov.explain.lessons.numbers import (
    descent_error,
    descent_left,
    descent_noise,
    joint_error,
    separate_error,
)
from dpgov.explain.lessons.told import DISTRICT_PEOPLE
from dpgov.privacy.joint.noise import shares_for
from dpgov.privacy.noise.sampling import gaussian


def near(number: object) -> object:
    return pytest.approx(float(str(number)), rel=1e-9)


def table_of(lesson: Lesson) -> LessonTable:
    return lesson.at(lesson.chosen({})).table


def test_the_accounts_of_ten_thousand_databases_are_the_published_ones() -> None:
    """M8: basic 12.48, 1.0143 of 2010, 1.0065 of 2015, zCDP 0.9237; e^-31.6 and e^-34.6."""
    found = databases.accounts(10_000, Fraction(1, 801), Decimal(-32))
    assert [f"{one:.4f}" for one in found] == ["12.4844", "1.0143", "1.0065", "0.9237"]
    values = [value for _statement, value in table_of(databases.LESSON).rows]
    assert values == ["12.4844", "1.0143", "1.0065", "0.9237", "e^−31.6", "e^−34.6"]


def test_a_few_databases_cannot_lose_more_than_their_sum() -> None:
    scene = databases.scene({"databases": "1", "epsilon": "1/100", "delta": "-8"})
    assert scene.table.rows[-1][1] == "0"


@pytest.mark.parametrize("questions", [1, 100, 10_000])
def test_many_questions_add_up_by_the_formulas(questions: int) -> None:
    plain, advanced, _zcdp = composition.totals(questions)
    assert plain == near(questions / 10)
    formula = questions * 0.1 * math.tanh(0.05) + math.sqrt(2 * math.log(1e6) * questions * 0.1**2)
    assert advanced == pytest.approx(min(plain, formula), rel=1e-6)


def test_ten_times_as_many_questions_are_about_three_times_the_root() -> None:
    """As long as the first term is small, which for ε 0.1 it is up to a hundred questions."""
    ten, hundred = (composition.totals(count)[2] for count in (10, 100))
    assert 3 < hundred / ten < 4


def test_delta_publishes_by_the_binomial() -> None:
    rows = {row[0]: row[1:] for row in table_of(delta.LESSON).rows}
    assert rows["10⁻⁵ = 1/n"] == ("1", "63.2%")
    assert stats.binom(100_000, 1e-5).sf(0) == pytest.approx(0.632, abs=5e-4)
    assert rows["10⁻³"][0] == "100"


def test_groups_and_distances_multiply_in_the_exponent() -> None:
    by_size = {row[0]: row for row in table_of(groups.LESSON).rows}
    assert by_size["5"][1:] == ("1", "2.72", "73.11%")
    assert by_size["10"][2] == "7.39"
    found = {row[0]: row[1:] for row in table_of(distance.LESSON).rows}
    assert found["one row changed"] == ("2", "1", "2.72")
    assert found["one row more"][0] == "1"


def test_wider_bounds_cost_noise_and_narrow_ones_the_truth() -> None:
    """300 costs 300/110 of what 110 costs; nothing is clipped where all values fit."""
    assert float(bounds.noise(300) / bounds.noise(110)) == near(300 / 110)
    assert float(bounds.noise(110)) == near(math.sqrt(2) * 110 / (1_000 * 0.1))
    assert bounds.ages(110).moved == bounds.ages(110).share == Fraction(0)
    assert bounds.ages(300) == bounds.ages(110)
    for narrow, wide in pairwise(map(int, bounds.UPPER[:6])):
        assert bounds.ages(narrow).moved > bounds.ages(wide).moved


def test_a_mean_of_salaries_is_that_of_the_clipped_ones() -> None:
    found = salaries.salaries()
    assert len(found) == 1_000
    assert salaries.clipped_mean(5_000_000) == Fraction(sum(found), 1_000)
    assert salaries.clipped_mean(30_000) < 30_000 < salaries.clipped_mean(60_000)
    assert float(salaries.noise(5_000_000)) == near(math.sqrt(2) * 5_000_000 / 100)


@pytest.mark.parametrize(
    ("parties", "colluders", "error"),
    [(3, 1, "1.22"), (5, 1, "1.12"), (5, 3, "1.58"), (10, 5, "1.41")],
)
def test_a_masked_total_has_the_error_that_its_shares_of_noise_add_up_to(
    parties: int, colluders: int, error: str
) -> None:
    """M8: sqrt(n/(n - t)), as the product draws it; all but one colluding gains nothing."""
    assert f"{joint_error(parties, colluders):.2f}" == error
    shares = shares_for(parties=parties, colluders=colluders, cells=1, l2_squared=1, nano=10**6)
    drawn = shares.total.scale
    assert drawn / gaussian(1, 10**6)[0].scale == pytest.approx(float(error), abs=0.006)
    assert joint_error(parties, parties - 1) == separate_error(parties)


def test_a_joint_total_of_few_or_many_organisations_has_a_table() -> None:
    """M8: three have one row, twenty at most ten of eighteen."""
    tables = [together.LESSON.at({"organisations": place}).table for place in (0, 7)]
    assert [len(table.rows) for table in tables] == [1, 10]
    assert tables[1].rows[-1][0] == "18"


@pytest.mark.parametrize("pace", [Fraction(1, 2), Fraction(1, 5), Fraction(1)])
@pytest.mark.parametrize("steps", [1, 2, 7, 40])
def test_a_walk_of_noisy_steps_ends_where_its_steps_lead(pace: Fraction, steps: int) -> None:
    """M8: step by step, in fractions: each has ρ/T, hence T times the variance of one draw."""
    left, variance = Fraction(100), Fraction(0)
    for _ in range(steps):
        left, variance = left * (1 - pace), variance * (1 - pace) ** 2 + steps * pace**2
    assert float(descent_left(100, pace, steps)) == near(float(left))
    assert float(descent_noise(pace, steps)) == near(math.sqrt(variance))
    assert float(descent_error(100, pace, steps)) == near(math.sqrt(left**2 + variance))


def test_no_number_of_steps_is_as_good_as_sums_that_are_drawn_once() -> None:
    """M8: few do not arrive, many divide the price; the lesson names the best and marks a row."""
    rows = table_of(regression.LESSON).rows
    errors = [float(row[3].replace(",", "")) for row in rows]
    assert min(errors) > 1
    assert errors[0] > min(errors) < errors[-1]
    best = rows[errors.index(min(errors))][0]
    assert f"here {best} are best" in regression.LESSON.at({"steps": 0}).pictures[0].caption


def test_disjoint_parts_cost_what_one_costs() -> None:
    one, together = parts.errors(50)
    assert one == parts.errors(1)[0]
    assert float(together / one) == near(50)


def test_the_largest_change_of_scholarships_is_that_of_one_student() -> None:
    counted, added = scholarships.deviations(3)
    assert float(counted) == near(math.sqrt(2) * 3 / 0.5)
    assert float(added) == near(math.sqrt(2) * 3_000 / 0.5)


def test_a_share_is_within_its_interval_in_95_of_100() -> None:
    """M8: 99.1% in the district, 15.5% in the country."""
    reach = float(district.half_width("0.5")) * DISTRICT_PEOPLE
    assert stats.laplace(scale=2).cdf(reach) - stats.laplace(scale=2).cdf(-reach) == near(0.95)
    said = district.LESSON.at(district.LESSON.chosen({})).said
    assert "99.1%" in said
    assert "15.5%" in said


def test_noise_on_every_row_grows_with_the_root_and_on_the_answer_not_at_all() -> None:
    every, once = where_noise.errors(10_000)
    assert float(every / once) == near(100)
    home, curator = local.errors(10_000, "1")
    p = math.e / (1 + math.e)
    assert float(home) == near(math.sqrt(10_000 * p * (1 - p)) / (2 * p - 1))
    assert float(curator) == near(math.sqrt(2))
    assert local.errors(1_000_000, "1")[1] == curator


def test_slips_are_worked_out_again() -> None:
    """M8: sqrt(2)/ε = 2.57 at ε = (ln 3)/2 for sqrt(3)/2; 2 artanh 2ε, about 4ε, for 2ε."""
    told, found = slips.deviation()
    assert (f"{told:.3f}", f"{found:.2f}") == ("0.866", "2.57")
    assert float(found) == near(stats.laplace(scale=2 / math.log(3)).std())
    told, found = slips.biased_bit(Fraction(1, 10))
    assert (float(told), float(found)) == (near(0.2), near(2 * math.atanh(0.2)))
    small = Fraction(1, 10_000)
    assert float(slips.biased_bit(small)[1] / (4 * Decimal("0.0001"))) == pytest.approx(1, abs=1e-6)
    p, q = Fraction(6, 10), Fraction(4, 10)
    assert float(found) == near(math.log(p / q))
