"""D9, D2: columns that one question computes: names, bounds, one form, and what is refused."""

from typing import Any

import pytest

from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.plan.canonical import canonical_sha256
from dpgov.privacy.plan.computed.asked import name_of, with_formulas
from dpgov.privacy.plan.domains import category_domain, column_spec, date_domain, numeric_domain
from dpgov.privacy.plan.formula import Formula, FormulaKind
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.patterns import families_of
from dpgov.privacy.plan.plan import InvalidPlan, Plan
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema, MissingRule, PrivacyUnit
from tests.unit.privacy.tables import AGE, CHANGE, HOURS, SEX, question, schema_of

DROP, IMPUTE = MissingRule.DROP, MissingRule.IMPUTE
SUM, DIFFERENCE, PRODUCT = FormulaKind.SUM, FormulaKind.DIFFERENCE, FormulaKind.PRODUCT
WAGE = column_spec("wage", numeric_domain("0", "500", "0.01"), IMPUTE, "0")
CAME = column_spec("came", date_domain("2024-01-01", "2024-12-31", "day"), DROP, "")
LEFT = column_spec("left", date_domain("2024-01-01", "2024-12-31", "day"), DROP, "")
MADE = column_spec(
    "made", numeric_domain("0", "1", "1"), DROP, "", Formula(PRODUCT, ("age", "hours"))
)
SCHEMA = schema_of(AGE, HOURS, CHANGE, SEX, WAGE, CAME, LEFT, MADE)


def computed(formula: str, *of: Any) -> dict[str, Any]:
    return {"formula": formula, "of": list(of)}


def mean_of(name: str, *formulas: dict[str, Any], **more: Any) -> dict[str, Any]:
    return question({"statistic": "mean", "column": name}, computed=list(formulas), **more)


def plan_of(raw: dict[str, Any], schema: DatasetSchema = SCHEMA) -> Plan:
    return parse_plan(raw, schema, dataset="people")


def refused(raw: dict[str, Any], schema: DatasetSchema = SCHEMA) -> dict[str, str]:
    with pytest.raises(InvalidPlan) as refusal:
        plan_of(raw, schema)
    return {problem.path: problem.message for problem in refusal.value.problems}


def made_by(plan: Plan) -> ColumnSpec:
    """The column that it computes, as its mechanisms see it."""
    return prepare(plan, SCHEMA).schema.columns[-1]


@pytest.mark.parametrize(
    ("formula", "of", "name", "bounds", "missing"),
    [
        ("sum", ("age", "change"), "age + change", ("14.5", "91.5", "0.25"), DROP),
        ("difference", ("hours", "wage"), "hours - wage", ("-499", "99", "0.01"), None),
        ("product", ("hours", "wage"), "hours * wage", ("0", "49500", "0.01"), None),
        ("difference", ("left", "came"), "left - came", ("-365", "365", "1"), DROP),
    ],
)
def test_bounds_and_step_follow_from_both(
    formula: str,
    of: tuple[str, str],
    name: str,
    bounds: tuple[str, str, str],
    missing: MissingRule | None,
) -> None:
    """D9: as of a column that the owner declares; missing only where either may be."""
    spec = made_by(plan_of(mean_of(name, computed(formula, *of))))
    assert (spec.name, spec.domain) == (name, numeric_domain(*bounds))
    assert spec.missing is (missing or MissingRule.REQUIRE)


def test_it_is_part_of_the_plan_in_one_form() -> None:
    """F12: a + b is b + a, a - b is not b - a, and what nothing names is no part of it."""
    one = plan_of(mean_of("age + hours", computed("sum", "age", "hours")))
    two = plan_of(
        mean_of("age + hours", computed("product", "age", "hours"), computed("sum", "hours", "age"))
    )
    assert one == two
    assert one.as_json()["computed"] == [computed("sum", "age", "hours")]
    less = plan_of(mean_of("age - hours", computed("difference", "age", "hours")))
    more = plan_of(mean_of("hours - age", computed("difference", "hours", "age")))
    product = plan_of(mean_of("age * hours", computed("product", "hours", "age")))
    plain = plan_of(mean_of("age"))
    forms = {canonical_sha256(plan, SCHEMA) for plan in (one, less, more, product, plain)}
    assert len(forms) == 5
    assert "computed" not in plain.as_json()


def test_a_schema_that_has_columns_of_another_question_gives_them_to_none() -> None:
    wide = prepare(plan_of(mean_of("age + hours", computed("sum", "age", "hours"))), SCHEMA).schema
    assert wide.asked == 1
    assert list(refused(mean_of("age + hours"), wide)) == ["statistics.0.column"]
    assert prepare(plan_of(mean_of("age"), wide), wide).schema == SCHEMA


def test_no_two_formulas_have_one_name() -> None:
    """A name that is no single word stands between quotes."""
    pairs = [("a", 'b + "c"'), ("a + b", "c"), ('a" + "b', "c"), ("a", "b + c"), ("a b", "c")]
    formulas = [Formula(kind, pair) for pair in pairs for kind in (SUM, DIFFERENCE, PRODUCT)]
    assert len({name_of(formula) for formula in formulas}) == len(formulas)
    assert name_of(Formula(SUM, ("a b", "c"))) == '"a b" + c'


@pytest.mark.parametrize(
    ("raw", "path", "words"),
    [
        (mean_of("x", computed("ratio", "age", "hours")), "computed.0.formula", "no bounds"),
        (mean_of("x", computed("bins", "age", "hours")), "computed.0.formula", "Unknown formula"),
        (mean_of("x", computed("sum", "age", "sex")), "computed.0.of.1", "holds categories"),
        (mean_of("x", computed("product", "came", "age")), "computed.0.of.0", "holds dates"),
        (mean_of("x", computed("sum", "came", "left")), "computed.0.of.0", "holds dates"),
        (mean_of("x", computed("difference", "left", "age")), "computed.0.of.1", "not of one kind"),
        (mean_of("x", computed("sum", "age", "age")), "computed.0.of.1", "two different"),
        (mean_of("x", computed("sum", "made", "age")), "computed.0.of.0", "computed itself"),
        (mean_of("x", computed("sum", "age", "agee")), "computed.0.of.1", "Did you mean “age”?"),
        (mean_of("x", computed("sum", "age")), "computed.0.of", "2 to 2"),
        (mean_of("x", {"formula": "sum", "off": []}), "computed.0.off", "Did you mean “of”?"),
        (mean_of("x", *[computed("sum", "age", "hours")] * 11), "computed", "0 to 10"),
    ],
)
def test_what_cannot_be_computed_is_refused_where_it_stands(
    raw: dict[str, Any], path: str, words: str
) -> None:
    """A7: and nothing else is, such as the statistic that names it."""
    found = refused(raw)
    assert words in found[path]
    assert "statistics.0.column" not in found


def test_sums_that_could_not_be_kept_exact_are_refused() -> None:
    """D2: over the rows that there may be, and for what a group can move."""
    wide = column_spec("wide", numeric_domain("0", "100000000", "1"), DROP, "")
    raw = mean_of("x", computed("product", "wide", "hours"))
    assert "could not be kept exact" in refused(raw, schema_of(wide, HOURS))["computed.0.of.1"]
    many = PrivacyUnit("person", 10**9)
    raw = mean_of("x", computed("product", "hours", "wage"))
    assert (
        "could not be kept exact"
        in refused(raw, schema_of(HOURS, WAGE, unit=many))["computed.0.of.1"]
    )
    far = column_spec("far", numeric_domain("0", "999999999999", "1"), DROP, "")
    raw = mean_of("x", computed("product", "far", "wage"))
    assert "cannot be held exactly" in refused(raw, schema_of(far, WAGE))["computed.0.of.1"]


def test_a_declared_column_of_that_name_keeps_it() -> None:
    taken = column_spec("age + hours", category_domain(["a"]), DROP, "")
    raw = mean_of("age + hours", computed("sum", "age", "hours"))
    assert "is a declared column" in refused(raw, schema_of(AGE, HOURS, taken))["computed.0.of.0"]


def test_other_declarations_than_it_was_read_against_refuse_it() -> None:
    with pytest.raises(InvalidPlan, match="no longer there"):
        with_formulas((Formula(SUM, ("age", "gone")),), SCHEMA)


def test_questions_about_different_computed_columns_are_no_family() -> None:
    """H7: each of them has the first place after the declared columns in its own plan."""

    def below(name: str, formula: str, edge: int) -> Plan:
        where = [{"column": name, "op": "<", "value": edge}]
        more = {"computed": [computed(formula, "age", "hours")], "where": where}
        return plan_of(question({"statistic": "count"}, **more))

    asked = {
        "a": below("age + hours", "sum", 50),
        "b": below("age + hours", "sum", 51),
        "c": below("age - hours", "difference", 50),
    }
    (family,) = families_of(asked, SCHEMA)
    assert (family.keys, family.column, family.closest) == (("a", "b"), "age + hours", 1)
