"""M14, M16: multiplicative weights as the textbook has them: another split, the same charge."""

from fractions import Fraction

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.answer.table_sets import parse_table_set
from dpgov.privacy.plan.canonical import canonical
from dpgov.privacy.plan.parsing.plans import parse_plan
from tests.unit.privacy.answer.test_rounds import PAIRS, ROWS, asked, mechanism_of
from tests.unit.privacy.tables import release_of


def test_multiplicative_weights_take_half_for_choosing_by_the_error_alone() -> None:
    """M16: MWEM as the textbook has it: the same charge and release, and never taken by itself.

    What could overspend is its other split; what could leak, a choice that is paid as for a tenth.
    """
    blueprint = asked(method="mwem")
    rounds = mechanism_of(blueprint).adaptive
    assert (rounds.choosing, rounds.penalised) == (Fraction(1, 2), False)
    assert rounds.of_a_choice == rounds.of_a_draw == Loss(Mode.PURE, NANO // 8)
    assert blueprint.cost_nano == NANO >= rounds.rounds * 2 * rounds.of_a_draw.nano
    fewer = mechanism_of(asked()).adaptive.noise.variance
    assert rounds.noise.variance > fewer
    schema = blueprint.schema
    named = parse_table_set(PAIRS | {"epsilon": 1, "method": "mwem"}, schema, dataset="people")
    assert named.cover is not None
    assert named.cover.as_json()["method"] == "mwem"
    body = blueprint.plan.as_json()
    assert parse_plan(body, schema, dataset="people", stored=True) == blueprint.plan
    assert canonical(blueprint.plan, schema) != canonical(asked().plan, schema)


def test_a_release_of_multiplicative_weights_has_the_form_of_all_rounds() -> None:
    """M14: each drawn table as a count of its own, at its part of the price."""
    blueprint = asked(method="mwem")
    body = release_of(blueprint, ROWS)
    assert len(body["rounds"]) == 4
    each = {one["plan"]["epsilon"] for one in body["rounds"]}
    assert each == {0.125}
    assert body["choosing"]["choice"]["epsilon"] == 0.125
