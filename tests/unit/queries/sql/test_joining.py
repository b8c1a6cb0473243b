"""M71: a join of two datasets by their unit is found in a text; all others are refused."""

import pytest

from dpgov.queries.sql.reading import join_of, read_sql
from dpgov.queries.sql.text import RefusedSql

TABLES = {
    "v": {"id": "id", "days": "days"},
    "costs_2024": {"who": "id", "days": "cost_days", "Paid": "Paid"},
}


def read(selected: str) -> list[object]:
    text = f"SELECT {selected} FROM visits v JOIN costs-2024 USING (id) WITH EPSILON 1"
    columns = ["days", "cost_days", "Paid"]
    found = read_sql(text, columns=columns, private_id="id", tables=TABLES)
    return [one.get("column") for one in found.raw_plan["statistics"]]


def test_two_addresses_with_hyphens_are_found_with_what_they_are_called() -> None:
    found = join_of("SELECT COUNT(*) FROM ward-visits AS v INNER JOIN Costs-2024 USING (id)")
    assert found is not None
    assert found.called == {"v": "ward_visits", "costs_2024": "costs_2024"}
    assert found.column == "id"
    assert join_of("SELECT EXTRACT(YEAR FROM day) FROM ward-visits") is None


def test_a_column_of_one_of_them_is_that_of_what_was_put_together() -> None:
    assert read('SUM(v.days), SUM("costs-2024".days), SUM(costs_2024.paid)') == [
        "days",
        "cost_days",
        "Paid",
    ]
    assert read("COUNT(DISTINCT v.id), SUM(cost_days)") == [None, "cost_days"]


@pytest.mark.parametrize("column", ["v.paid", "other.days", "costs_2024.cost_days"])
def test_a_column_that_is_not_of_it_is_refused(column: str) -> None:
    with pytest.raises(RefusedSql, match="column 12"):
        read(f"SUM({column})")


@pytest.mark.parametrize(
    "origin",
    [
        "a, b",
        "a NATURAL JOIN b",
        "a LEFT JOIN b USING (id)",
        "a CROSS JOIN b",
        "a JOIN b ON a.id = b.id",
        "a JOIN b USING (id, day)",
        "a JOIN b USING (id) JOIN c USING (id)",
        "a JOIN (SELECT 1) USING (id)",
        "(SELECT 1) JOIN b USING (id)",
    ],
)
def test_every_other_join_is_refused_with_the_one_that_is_read(origin: str) -> None:
    with pytest.raises(RefusedSql, match=r"FROM one JOIN other USING \(unit\)"):
        join_of(f"SELECT COUNT(*) FROM {origin}")
