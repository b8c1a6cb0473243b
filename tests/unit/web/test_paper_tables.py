"""Tables on paper: nothing is cut off, and no page leaves its reader without the head."""

from collections import defaultdict
from datetime import UTC, datetime
from typing import Any

import pytest

from dpgov.web.paper.page import Paper, started
from dpgov.web.paper.tables import table

HEAD = ("Name", "Number")
Written = dict[int, list[str]]


@pytest.fixture
def page() -> Paper:
    return started("A report", "Harbour", made=datetime(2026, 11, 1, tzinfo=UTC))


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Written:
    """The texts of cells by page, in reading order; of the foot none."""
    found: Written = defaultdict(list)
    draw = Paper.cell

    def note(self: Paper, *values: Any, **options: Any) -> Any:
        if not self.in_footer:
            found[self.page_no()].append(values[2])
        return draw(self, *values, **options)

    monkeypatch.setattr(Paper, "cell", note)
    return found


def test_the_head_stands_on_each_page_and_each_row_stands_once(
    page: Paper, written: Written
) -> None:
    table(page, HEAD, [(f"row {n}", str(n)) for n in range(200)], (3, 1))
    assert len(written) > 3
    assert {tuple(texts[:2]) for texts in written.values()} == {HEAD}
    rows = [text for texts in written.values() for text in texts[2:]]
    assert rows == [text for n in range(200) for text in (f"row {n}", str(n))]


def test_a_row_is_not_broken_over_pages_unless_it_is_higher_than_one(
    page: Paper, written: Written
) -> None:
    words = " ".join(f"word{n}" for n in range(60))
    table(page, HEAD, [(words, str(n)) for n in range(30)], (1, 1), words=True)
    last = [texts[-1] for texts in written.values()]
    assert all(text.endswith("word59") for text in last)


def test_a_row_that_is_higher_than_a_page_goes_on_under_the_head(
    page: Paper, written: Written
) -> None:
    words = [f"word{n}" for n in range(3_000)]
    table(page, HEAD, [(" ".join(words), "1")], (1, 3))
    assert len(written) > 2
    kept = [
        word for texts in written.values() for text in texts if text != "1" for word in text.split()
    ]
    assert [word for word in kept if word not in HEAD] == words


def test_a_table_without_a_head_begins_with_its_first_row(page: Paper, written: Written) -> None:
    table(page, (), [("Price", "0.5")], (1, 1))
    assert written[1] == ["Price", "0.5"]
