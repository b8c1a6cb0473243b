"""A5 and M1: a form reads a number as its page spells it, or says at the field what it could be.

"1.000" taken for one where a German reader meant a thousand would be wrong without a word.
"""

from typing import Any

import pytest
from django import forms
from django.http import QueryDict
from django.utils.translation import override

from dpgov.joint.web.forms import ProposalForm
from dpgov.oversight.web.forms.log import ConsistencyForm
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit
from dpgov.queries.web.forms.tables import WhichForm
from dpgov.surveys.web.forms import SurveyForm, TokensForm
from tests.unit.engines.tables import number

SCHEMA = DatasetSchema((number("age", "0", "9"),), PrivacyUnit(), Neighbouring.ADD_REMOVE, 1, 100)


def _survey(**typed: str) -> SurveyForm:
    usual = {"question": "How much?", "epsilon": "1", "expected": "200", "by_token": "yes"}
    in_ranges = {"lower": "0", "upper": "1", "ranges": "4", "closes_on": "2999-12-31"}
    return SurveyForm(usual | in_ranges | typed, budgets=[])


def _joint(**typed: str) -> ProposalForm:
    usual = {"title": "Total", "rho": "0.01", "parties": "3", "colluders": "1"}
    return ProposalForm(usual | typed, schema=SCHEMA)


def _proof(**typed: str) -> ConsistencyForm:
    return ConsistencyForm({"old": "1", "new": "2000000"} | typed)


def _tables(**typed: str) -> WhichForm:
    data = QueryDict(mutable=True)
    data.update({"tables": "2"} | typed)
    return WhichForm(data)


@pytest.mark.parametrize(
    ("form", "name", "typed"),
    [
        (_survey, "lower", "-1.000"),
        (_survey, "upper", "1.000"),
        (_survey, "ranges", "1,000"),
        (_survey, "expected", "1,000"),
        (_joint, "rho", "1.000"),
        (_joint, "parties", "3,000"),
        (_joint, "colluders", "1,000"),
        (_proof, "old", "1,000"),
        (_proof, "new", "2,000"),
        (_tables, "rounds", "1,000"),
    ],
)
def test_what_could_be_two_numbers_is_refused_at_its_field_alone(
    form: Any, name: str, typed: str
) -> None:
    with override("de"):
        refused: forms.Form = form(**{name: typed})
        assert list(refused.errors) == [name]
        (said,) = refused.errors[name]
    assert typed.replace(".", "").replace(",", "") in said


def test_a_survey_in_german_has_the_ranges_that_were_meant() -> None:
    with override("de"):
        form = _survey(lower="-12,5", upper="1.012,5", ranges="2", expected="1.000")
        below, above = _lines(form)
        quarters = _lines(_survey())
    assert form.asked().expected == 1000
    assert (below.split()[-1], above.split()[0]) == ("500", "500")
    assert (quarters[0].split()[-1], quarters[-1].split()[0]) == ("0,25", "0,75")


def _lines(form: SurveyForm) -> list[str]:
    assert form.is_valid(), form.errors
    return list(form.asked().answers)


def test_a_survey_in_english_keeps_its_points() -> None:
    with override("en"):
        assert _lines(_survey(upper="1,000"))[0] == "below 250"
        assert _lines(_survey())[0] == "below 0.25"


def test_a_bound_of_nought_is_one() -> None:
    with override("en"):
        assert _lines(_survey(lower="-1", upper="0", ranges="2")) == ["below -0.5", "-0.5 or more"]


def test_what_is_no_number_is_said_at_the_bound_that_it_was_typed_for() -> None:
    with override("en"):
        assert list(_survey(upper="many").errors) == ["upper"]
        assert list(_survey(ranges="1").errors) == ["ranges"]


def test_the_other_numbers_may_have_their_thousands_marked() -> None:
    with override("de"):
        tokens, proof = TokensForm({"number": "1.000"}), _proof(old="1.000")
        assert tokens.is_valid()
        assert proof.is_valid()
    assert (tokens.cleaned_data["number"], proof.cleaned_data["old"]) == (1000, 1000)


def test_a_loss_of_a_joint_question_has_the_decimals_of_the_page() -> None:
    with override("de"):
        form = _joint(rho="0,02")
        assert form.is_valid(), form.errors
    assert form.plan()["rho"] == "0.02"


@pytest.mark.parametrize("typed", ["", "0", "10001", "many"])
def test_so_many_tokens_are_refused_in_one_sentence(typed: str) -> None:
    with override("en"):
        said = TokensForm({"number": typed}).errors["number"]
    assert said == ["Make 1 to 10000 tokens at once."]


def test_tokens_that_could_be_ten_or_ten_thousand_are_asked_about() -> None:
    with override("en"):
        (said,) = TokensForm({"number": "10.000"}).errors["number"]
    assert "10000 or 10" in said


def test_what_a_form_proposes_reads_back_in_either_language() -> None:
    for language, loss in (("de", "1,1"), ("en", "1.1")):
        with override(language):
            form = SurveyForm(budgets=[])
            assert form["epsilon"].value() == loss
            assert 'type="number"' not in str(form)
