"""M8: every number that a lesson tells stands in one file, and its sentences say what is there."""

import ast
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from dpgov.explain.averaging import TRUTH
from dpgov.explain.lessons import told
from dpgov.explain.lessons.drawing import share, shown
from dpgov.explain.lessons.registry import BY_SLUG, LESSONS
from dpgov.privacy.accounting.decimals import NANO

FOLDER = Path(told.__file__).parent
SAID = {
    "one-answer": [
        f"{told.WITHOUT} without one person and {told.WITHOUT + told.MOVES} with them",
        f"ε {shown(told.ANSWER_EPSILON)}",
    ],
    "ladder": [shown(told.AOL_FACTOR_TOLD)],
    "coins": [f"{told.COIN_YES} of {shown(told.COIN_PEOPLE)}"],
    "smoking": [share(told.RISK_BEFORE, 0), share(told.RISK_WITHOUT_ALICE, 0)],
    "without-names": [
        shown(told.NETFLIX_RATINGS),
        shown(told.NETFLIX_PEOPLE),
        f"{told.NETFLIX_RATINGS_TOLD // 10**6} million of {shown(told.NETFLIX_PEOPLE_TOLD)}",
    ],
    "intersection": [f"ε {shown(told.RELEASE_EPSILON)} each"],
    "averaging": [f"ε {told.AGAIN_EPSILON}", f"where {TRUTH} is true"],
    "reconstruction": [f"{told.SECRETS} people", f"{told.SUMS} sums"],
    "composition": [f"ε {shown(Fraction(told.QUESTION_NANO, NANO))} are"],
    "many-databases": [f"exceeds {told.LIFE_LOSS} with"],
    "delta": [f"{shown(told.PUBLISHED_PEOPLE)} rows"],
    "groups": [f"ε {told.GROUP_EPSILON} for one person"],
    "distance": [f"ε {told.DISTANCE_EPSILON} for one row"],
    "bounds": [f"{shown(told.AGED_PEOPLE)} people at ε {told.AGE_EPSILON}", f"0 and {told.OLDEST}"],
    "salaries": [f"{told.USUAL_SALARIES} salaries", f"at ε {told.SALARY_EPSILON}"],
    "disjoint-parts": [f"ε {told.EDITORS_EPSILON} for all"],
    "scholarships": [
        f"ε {told.SCHOLARSHIPS_EPSILON}",
        f"amounts of up to {shown(told.SCHOLARSHIP_AT_MOST)}",
    ],
    "one-district": [
        f"{share(told.COUNTRY_SHARE)} of a country",
        f"{share(told.DISTRICT_SHARE)} of the {shown(told.DISTRICT_PEOPLE)} people",
    ],
    "where-noise-goes": [f"ε {told.ROWS_EPSILON}"],
    "regression": [f"{told.WALK_AWAY} deviations away"],
    "local-and-central": [f"{shown(told.MIXED_PEOPLE)} reports of ε {told.MIXED_EPSILON}"],
}


@pytest.mark.parametrize("slug", SAID)
def test_sentences_say_the_numbers_that_formulas_take(slug: str) -> None:
    lesson = BY_SLUG[slug]
    scene = lesson.at(lesson.chosen({}))
    words = [scene.said, *(picture.caption for picture in scene.pictures), *scene.table.heads]
    text = " ".join([lesson.sentence, *words])
    assert [number for number in SAID[slug] if number not in text] == []


def test_the_slip_about_a_bit_is_that_of_its_bias() -> None:
    lesson = BY_SLUG["slips"]
    assert f"ε {shown(told.BIT_BIAS)} that is" in lesson.at({"slip": 1}).said


@pytest.mark.parametrize("page", [p for p in FOLDER.glob("*/*.py") if p.name != "__init__.py"])
def test_a_lesson_s_own_file_names_no_number(page: Path) -> None:
    """But places to choose from, which are texts, and what a figure alone needs (`_` before it)."""
    assert list(_named_numbers(ast.parse(page.read_text()))) == []


def _named_numbers(module: ast.Module) -> Iterator[str]:
    for step in module.body:
        if isinstance(step, ast.Assign):
            values = step.value.elts if isinstance(step.value, ast.Tuple) else [step.value]
            names = ast.unparse(step.targets[0]).strip("()")
            if any(map(_is_number, values)) and not names.startswith("_"):
                yield names


def _is_number(value: ast.expr) -> bool:
    """A number as it is written, or a Fraction or Decimal."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in {"Fraction", "Decimal"}
    return isinstance(value, ast.Constant) and isinstance(value.value, int | float)


def test_every_lesson_is_looked_at() -> None:
    """Those that are left out tell nothing but what was chosen, or by their own formula."""
    chosen_alone = {"definition", "beliefs", "organisations-together", "slips"}
    assert {lesson.slug for lesson in LESSONS} - SAID.keys() == chosen_alone
