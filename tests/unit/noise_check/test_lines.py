"""C1: what a line of the noise check claims, and the page that lists all of them."""

import re
from fractions import Fraction

import pytest

from dpgov.noise_check.case import Case, SurveyCase
from dpgov.noise_check.cases import CASES, SURVEYS, TITLES
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Mode
from tests.house import tree

_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \(`(\w+)`\) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.M)
_CONTROL = re.compile(r"([\d.]+) times: (.+)")


@pytest.mark.parametrize("name", CASES)
def test_a_line_claims_what_its_question_is_charged(name: str) -> None:
    """C1: of a set all its tables together, each rounded down."""
    case = CASES[name]
    for mode in case.modes:
        claim = case.claimed(mode)
        blueprints = case.blueprints(mode, claim)
        charged = sum(blueprint.cost_nano for blueprint in blueprints)
        assert 0 <= claim * NANO - charged < len(blueprints)


def test_the_page_lists_every_line_with_its_claim_and_what_was_measured_of_it() -> None:
    """C1: by the words that the command and the page of officers have."""
    rows = _ROW.findall((tree.ROOT / "docs/noise-check.md").read_text())
    assert sorted(name for _, _, name, *_ in rows) == sorted(TITLES)
    for _, title, name, claim, seen, control in rows:
        line = (CASES | SURVEYS)[name]
        claims = _claims(line)
        told = _CONTROL.fullmatch(control)
        assert told, control
        assert title == TITLES[name]
        assert claim == " and ".join(f"{loss} {float(much):g}" for loss, much in claims)
        assert float(told[1]) == float(line.weakened)
        most = [float(much) for _, much in claims]
        assert all(a <= b for a, b in zip(_numbers(seen), most, strict=True)), name
        assert all(a > b for a, b in zip(_numbers(told[2]), most, strict=True)), name


def _claims(line: Case | SurveyCase) -> list[tuple[str, Fraction]]:
    if isinstance(line, SurveyCase):
        return [("ε", line.claim)]
    return [("ε" if mode is Mode.PURE else "ρ", line.claimed(mode)) for mode in line.modes]


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(" and ")]
