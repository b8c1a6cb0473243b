"""M76: counts that run along groups in SQL are the very plans that a form makes, or are refused."""

import re
from typing import Any

import pytest

from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import Plan
from dpgov.queries.sql.reading import plan_of_sql, read_sql
from dpgov.queries.sql.text import RefusedSql
from tests.house.tree import ROOT
from tests.unit.privacy.tables import schema_of

AGES, HOURS = "BINS(age, 20, 40, 60)", "WIDTH_BUCKET(hours, 0, 60, 3)"
BY_AGE: dict[str, Any] = {"column": "age", "edges": [20, 40, 60]}
BY_HOURS: dict[str, Any] = {"column": "hours", "edges": [0, 20, 40, 60]}
BY_SEX: dict[str, Any] = {"column": "sex"}
UP_TO_HERE = "BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
RUNS = "SUM(COUNT(*)) OVER"


def plan_of(text: str) -> Plan:
    return plan_of_sql(f"{text} WITH EPSILON 0.5", dataset="people", schema=schema_of())[0]


def of_form(*kinds: str, groups: list[Any], **more: Any) -> Plan:
    statistics = [{"statistic": kind} for kind in kinds]
    raw = {"statistics": statistics, "group_by": groups, "epsilon": "0.5", **more}
    return parse_plan(raw, schema_of(), dataset="people")


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT {AGES}, {RUNS} (ORDER BY {AGES}) FROM people GROUP BY {AGES}",
        f"SELECT {AGES} AS ages, {RUNS} (ORDER BY ages) AS n FROM people GROUP BY ages",
        f"SELECT {RUNS} (ORDER BY Age ASC NULLS LAST) FROM people GROUP BY {AGES}",
        f"select sum(count(*)) over (order by age) from people group by {AGES} order by 1 limit 2",
        f"SELECT CDF({AGES}) FROM people GROUP BY {AGES}",
        f"SELECT {AGES} AS a, cdf(age) FROM people GROUP BY {AGES}",
        *(
            f"SELECT {RUNS} (ORDER BY age {frame}) FROM people GROUP BY {AGES}"
            for frame in (
                f"ROWS {UP_TO_HERE}",
                f"range {UP_TO_HERE.lower()}",
                f"GROUPS {UP_TO_HERE}",
                "ROWS UNBOUNDED PRECEDING",
            )
        ),
    ],
)
def test_rows_up_to_each_edge_are_asked_as_from_the_form(text: str) -> None:
    assert plan_of(text) == of_form("cdf", groups=[BY_AGE])


@pytest.mark.parametrize("groups", [f"sex, {AGES}", f"{AGES}, sex"])
def test_they_run_within_the_other_groups_however_these_are_ordered(groups: str) -> None:
    window = f"{RUNS} (PARTITION BY sex ORDER BY {AGES})"
    found = plan_of(f"SELECT sex, {window} FROM people WHERE hours > 3 GROUP BY {groups}")
    where = [{"column": "hours", "op": ">", "value": 3}]
    assert found == of_form("cdf", groups=[BY_SEX, BY_AGE], where=where)


@pytest.mark.parametrize(
    ("selected", "groups", "plan"),
    [
        (
            "JOINT_CDF(age, hours)",
            f"{AGES}, {HOURS}",
            of_form("joint_cdf", groups=[BY_AGE, BY_HOURS]),
        ),
        (
            f"{AGES} AS a, {HOURS} AS h, joint_cdf(h, a)",
            "a, sex, h",
            of_form("joint_cdf", groups=[BY_SEX, BY_AGE, BY_HOURS]),
        ),
        (
            f"JOINT_CDF({AGES}, {HOURS}), CDF({AGES}), COUNT(*)",
            f"{AGES}, {HOURS}",
            of_form("joint_cdf", "cdf", "count", groups=[BY_HOURS, BY_AGE]),
        ),
    ],
)
def test_two_columns_are_asked_by_the_name_of_the_statistic(
    selected: str, groups: str, plan: Plan
) -> None:
    assert plan_of(f"SELECT {selected} FROM people GROUP BY {groups}") == plan


def test_dates_and_what_is_computed_run_by_their_edges_too() -> None:
    days = "BINS(visit, '2024-02-27', '2024-03-01')"
    assert plan_of(f"SELECT CDF(visit) FROM people GROUP BY {days}") == of_form(
        "cdf", groups=[{"column": "visit", "edges": ["2024-02-27", "2024-03-01"]}]
    )
    both = "BINS(age + hours, 50, 90)"
    found = plan_of(f"SELECT {both} AS s, {RUNS} (ORDER BY s) FROM people GROUP BY s")
    (group,) = found.group_by
    assert (group.edges, len(found.computed)) == (("50", "90"), 1)


def test_a_column_counts_before_what_is_called_like_it() -> None:
    text = "SELECT BINS(hours, 0, 20) AS sex, COUNT(*) FROM people GROUP BY sex"
    with pytest.raises(RefusedSql, match="must stand in GROUP BY"):
        plan_of(text)


BEGIN, END = "SELECT", f"FROM people GROUP BY {AGES}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{BEGIN} {RUNS} (ORDER BY ¦agee) {END}", "Unknown column “agee”. Did you mean “age”"),
        (f"{BEGIN} {RUNS} (ORDER BY age ¦DESC) {END}", "leave DESC out"),
        (f"{BEGIN} {RUNS} (ORDER BY age ¦NULLS FIRST) {END}", "leave NULLS FIRST out"),
        (f"{BEGIN} {RUNS} (ORDER BY ¦age WITH FILL) {END}", "leave WITH FILL out"),
        (f"{BEGIN} {RUNS} (ORDER BY ¦hours) {END}", "as it stands in GROUP BY"),
        (f"{BEGIN} {RUNS} (ORDER BY ¦n) AS n {END}", "Group by a column"),
        (f"{BEGIN} {RUNS} (ORDER BY ¦BINS(age, 20, 40)) {END}", "as it stands in GROUP BY"),
        (f"{BEGIN} {RUNS} (ORDER BY ¦age) FROM people", "as it stands in GROUP BY"),
        (f"{BEGIN} {RUNS} (ORDER BY ¦sex) FROM people GROUP BY sex", "run along edges"),
        (
            f"{BEGIN} CDF(¦visit) FROM people GROUP BY DATE_TRUNC('month', visit)",
            "run along edges",
        ),
        (f"{BEGIN} ¦{RUNS} () {END}", "Say along which group"),
        (f"{BEGIN} ¦{RUNS} w {END}", "Write the window itself"),
        (f"{BEGIN} {RUNS} w {END} WINDOW ¦w AS (ORDER BY age)", "after its own OVER"),
        (f"{BEGIN} {RUNS} (ORDER BY age, ¦sex) {END}, sex", "after PARTITION BY"),
        (f"{BEGIN} ¦{RUNS} (ORDER BY age) {END}, sex", "add PARTITION BY sex"),
        (f"{BEGIN} {RUNS} (PARTITION BY ¦age ORDER BY age) {END}", "not within it"),
        (f"{BEGIN} {RUNS} (PARTITION BY ¦sex ORDER BY age) {END}", "as it stands in GROUP BY"),
        *(
            (f"{BEGIN} {RUNS} (ORDER BY age ¦{frame}) {END}", "from the first group to each one")
            for frame in (
                "ROWS BETWEEN 3 PRECEDING AND CURRENT ROW",
                "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
                "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
                "GROUPS CURRENT ROW",
                f"ROWS {UP_TO_HERE} EXCLUDE CURRENT ROW",
            )
        ),
        (f"{BEGIN} ¦COUNT(*) OVER (ORDER BY age) {END}", "counts groups, not rows"),
        (f"{BEGIN} ¦SUM(SUM(hours)) OVER (ORDER BY age) {END}", "Sums of columns do not run"),
        (f"{BEGIN} ¦SUM(CLIP(hours, 1, 9)) OVER (ORDER BY age) {END}", "Sums of columns"),
        (f"{BEGIN} ¦SUM(COUNT(DISTINCT sex)) OVER (ORDER BY age) {END}", "only rows"),
        (f"{BEGIN} ¦SUM(COUNT(*)) FILTER (WHERE age > 3) OVER (ORDER BY age) {END}", "Only SUM"),
        (f"{BEGIN} ¦RANK() OVER (ORDER BY age) {END}", "Only SUM(COUNT(*))"),
        (f"{BEGIN} {RUNS} (ORDER BY age) AS n {END} HAVING ¦n > 3", "choose rows with WHERE"),
        (f"{BEGIN} CDF(age), COUNT(*) {END} HAVING ¦COUNT(*) > 3", "choose rows with WHERE"),
        (f"{BEGIN} ¦CDF(age, hours) {END}", "CDF with 1"),
        (f"{BEGIN} ¦JOINT_CDF(age) {END}, {HOURS}", "JOINT_CDF with 2"),
        (f"{BEGIN} ¦JOINT_CDF(age, {AGES}) {END}, {HOURS}", "two different groups"),
        (f"{BEGIN} JOINT_CDF(age, ¦hours) {END}", "as it stands in GROUP BY"),
        (f"{BEGIN} JOINT_CDF(age, ¦sex) {END}, sex", "run along edges"),
        (f"{BEGIN} ¦CDF(age), CDF(hours) {END}, {HOURS}", "along the same columns"),
    ],
)
def test_everything_else_is_refused_where_it_stands(text: str, words: str) -> None:
    columns = [column.name for column in schema_of().columns]
    with pytest.raises(RefusedSql) as caught:
        read_sql(f"{text.replace('¦', '')} WITH EPSILON 1", columns=columns)
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == (1, text.index("¦") + 1)
    assert words in problem.message


def test_the_examples_of_the_page_are_read_as_they_stand() -> None:
    """And the running ones are these statistics."""
    page = (ROOT / "docs/sql.md").read_text()
    texts = re.findall(r"^```sql\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    columns = ["age", "sex", "education", "hours_per_week", "ward", "id", "paid"]
    tables = {table: {name: name for name in columns} for table in ("visits", "costs")}
    found = [read_sql(text, columns=columns, tables=tables).raw_plan for text in texts]
    kinds = [[one["statistic"] for one in raw["statistics"]] for raw in found]
    assert kinds == [["mean", "count"], ["cdf"], ["joint_cdf"], ["mean", "count"], ["sum", "count"]]
