"""F9, F11: next month's export of a survey brings the same people no fresh budget.

A thousand people answered yes or no; later there are a few more, and a column came or went.
"""

import random
from collections.abc import Callable, Sequence

import pytest

from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import receive_upload, register_dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.domains import category_domain, column_spec
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit
from dpgov.tenants.models import Membership
from tests.integration.datasets.quick import read_here

Table = dict[str, list[str]]
ANSWERS = ("yes", "no", "no answer")


def survey(questions: int, answers: int, people: int, more: int) -> tuple[Table, Table]:
    """The table as it was, and with more people."""
    chance = random.Random(questions * answers)
    weights = [[chance.random() for _ in range(answers)] for _ in range(questions)]
    whole = {
        f"q{number}": chance.choices(ANSWERS[:answers], weight, k=people + more)
        for number, weight in enumerate(weights)
    }
    return {name: cells[:people] for name, cells in whole.items()}, whole


def numbered(table: Table) -> Table:
    return table | {"record": [f"{row:06d}" for row, _ in enumerate(table["q0"])]}


def shorter(table: Table) -> Table:
    return {name: cells for name, cells in table.items() if name != "q3"}


def as_it_was(table: Table) -> Table:
    return table


def registered(owner: Membership, name: str, table: Table) -> Dataset:
    asked = [column for column in table if column.startswith("q")]
    columns = tuple(
        column_spec(column, category_domain(ANSWERS), MissingRule.DROP, "") for column in asked
    )
    schema = DatasetSchema(columns, PrivacyUnit(), Neighbouring.ADD_REMOVE, 1, 10_000)
    declaration = Declaration(name, "", schema, 10 * NANO, NANO)
    lines = [",".join(table), *map(",".join, zip(*table.values(), strict=True)), ""]
    with read_here():
        upload = receive_upload(
            tenant=owner.tenant,
            uploader=owner.user,
            name="f.csv",
            chunks=["\n".join(lines).encode()],
        )
        made = register_dataset(
            tenant=owner.tenant, owner=owner.user, upload=upload, declaration=declaration
        )
    return made.dataset


@pytest.mark.parametrize(
    ("asked", "change"),
    [
        ((20, 2, 1000, 4), numbered),
        ((20, 2, 1000, 10), shorter),
        ((12, 2, 1000, 40), as_it_was),
        ((12, 3, 1000, 4), numbered),
    ],
)
def test_a_survey_with_a_few_more_people_is_held(
    owner: Membership, asked: Sequence[int], change: Callable[[Table], Table]
) -> None:
    before, after = survey(*asked)
    assert registered(owner, "October", before).opened_at
    again = registered(owner, "November", change(after))
    assert again.held_at
    assert not again.opened_at


def test_another_survey_of_the_same_questions_begins_at_once(owner: Membership) -> None:
    """L3: other people answered alike."""
    _, whole = survey(20, 2, 1000, 1000)
    first = {name: cells[:1000] for name, cells in whole.items()}
    second = {name: cells[1000:] for name, cells in whole.items()}
    assert registered(owner, "October", first).opened_at
    assert registered(owner, "November", second).opened_at
