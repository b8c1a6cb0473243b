"""D10, L4: what a version says of the cubes in its file is what its file has, whoever wrote it.

What could leak: a question that is taken for one that a cube answers, and is then answered by
reading rows, would appear at a moment that may tell how long that took, for nothing.
"""

from typing import Any
from uuid import uuid4

import duckdb
import pytest
from django.test import Client
from django.urls import reverse

from dpgov.datasets import storage
from dpgov.datasets.cubes import cubes_in, is_cubed, made_with
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services import change_unit_bounds, engine_for
from dpgov.engines.cubes.keeping import layouts_in
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.answer.duration import scans_of
from dpgov.privacy.plan.computed.asked import name_of
from dpgov.privacy.plan.formula import Formula, FormulaKind
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind, UnitBounds
from dpgov.privacy.plan.schema import PrivacyUnit
from dpgov.queries.asking.submit import submit
from dpgov.tenants.models import Membership
from tests.eager import arrived
from tests.integration.datasets.invented import as_csv, people
from tests.integration.datasets.registering import declared, register, uploaded
from tests.integration.datasets.test_rows_added import add
from tests.integration.datasets.test_units import NAMED, VISITS
from tests.unit.privacy.tables import AGE, HOURS, question
from tests.unit.privacy.tables import schema_of as schema_of_columns

ROWS = (Measure(MeasureKind.ROWS),)


def in_file(version: DatasetVersion) -> Any:
    with duckdb.connect(str(storage.data_path(version.pk)), read_only=True) as connection:
        return layouts_in(connection)


def told(version: DatasetVersion) -> Any:
    return cubes_in(version, schema_of(version).columns)


def test_a_file_of_rows_and_one_to_which_rows_were_added(browser: Client) -> None:
    register(browser, uploaded(browser, as_csv(people(1))))
    dataset = Dataset.objects.get()
    add(browser, dataset, people(2, 40))
    first, second = DatasetVersion.objects.order_by("number")
    assert told(first) == in_file(first) != ()
    assert told(second) == in_file(second) != ()


def test_a_version_with_other_columns(browser: Client) -> None:
    register(browser, uploaded(browser, as_csv(people(1))))
    upload = uploaded(browser, as_csv(people(2, 40)))
    address = reverse("datasets:add_version", args=["people", upload.pk])
    arrived(browser, browser.post(address, declared(age__upper="90")))
    first, second = DatasetVersion.objects.order_by("number")
    assert told(second) == in_file(second) != told(first)


def test_other_limits_of_a_person_leave_the_cubes_of_the_file_that_was_read(
    browser: Client, owner: Membership
) -> None:
    """They hold two rows of each person: what asks for three is answered from rows."""
    register(browser, uploaded(browser, VISITS), **NAMED)
    dataset = Dataset.objects.get()
    for most in (1, 3):
        change_unit_bounds(dataset=dataset, max_rows=most, max_groups=None, user=owner.user)
    first, second, third = DatasetVersion.objects.order_by("number")
    assert told(first) == told(second) == told(third) == in_file(third) != ()
    two, three = (ExactRequest((), (), ROWS, UnitBounds(rows)) for rows in (2, 3))
    for version in (first, third):
        assert is_cubed(version, schema_of(version), [two])
        assert not is_cubed(version, schema_of(version), [three])
        assert not is_cubed(version, schema_of(version), [two, three])
    assert engine_for(third).answer(three) == ((5,),)


def test_a_file_that_was_read_before_this_was_kept_is_taken_to_have_none(browser: Client) -> None:
    register(browser, uploaded(browser, VISITS), **NAMED)
    version = current_version(Dataset.objects.get())
    version.cubes = None
    assert told(version) == ()
    assert not is_cubed(version, schema_of(version), [ExactRequest((), (), ROWS, UnitBounds(2))])


@pytest.mark.parametrize(
    ("asked", "class_ms"),
    [
        ({"statistics": [{"statistic": "count"}]}, 80),
        ({"statistics": [{"statistic": "mean", "column": "age"}]}, 80),
        ({"statistics": [{"statistic": "median", "column": "age"}]}, 100),
        ({"statistics": [{"statistic": "count_distinct"}]}, 500),
    ],
    ids=["count", "mean", "one of many is chosen", "people are told apart"],
)
def test_a_question_has_the_short_class_if_a_cube_answers_all_of_it(
    browser: Client, analyst: Membership, asked: dict[str, Any], class_ms: int
) -> None:
    """L4: by its plan and what was declared, at the door."""
    register(browser, uploaded(browser, VISITS), **NAMED, max_groups_per_unit="1")
    dataset = Dataset.objects.select_related("budget").get()
    plan = {"dataset": dataset.slug, "epsilon": 0.5, **asked}
    accepted = submit(
        membership=analyst, dataset=dataset, raw_plan=plan, idempotency_key=str(uuid4())
    )
    assert accepted.query.class_ms == class_ms


@pytest.mark.parametrize("unit", [PrivacyUnit(), PrivacyUnit("person", 2)], ids=["rows", "people"])
@pytest.mark.parametrize("formula", ["sum", "product"])
def test_what_a_question_computes_is_in_no_cube(unit: PrivacyUnit, formula: str) -> None:
    """L4: a scan in the class of a cube would tell whether it took longer, for nothing."""
    schema = schema_of_columns(AGE, HOURS, unit=unit)
    version = DatasetVersion(cubes=made_with(schema))
    made = name_of(Formula(FormulaKind(formula), ("age", "hours")))
    for column, quick in (("age", True), (made, False)):
        more = {} if quick else {"computed": [{"formula": formula, "of": ["age", "hours"]}]}
        asked = question({"statistic": "sum", "column": column}, **more)
        blueprint = prepare(parse_plan(asked, schema, dataset="people"), schema)
        assert is_cubed(version, blueprint.schema, scans_of(blueprint)) is quick
