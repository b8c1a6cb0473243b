"""What is stored is read by everybody: it never speaks the language of who happened to write it."""

from collections.abc import Iterator

import pytest
from django.db import connection, transaction

from tests.answers import Answer
from tests.integration.access.doors import DOORS
from tests.integration.access.test_every_write import CALLS
from tests.integration.access.world import World
from tests.integration.access.writes import send
from tests.integration.language.marking import OPEN, mark

# A visit's own: the sentence that its next page shows.
_NOT_KEPT = {"django_session"}


@pytest.mark.django_db
def test_no_change_stores_a_translated_sentence(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for actor in {write.actor for write in CALLS.values()}:
        world.api(actor), world.browser(actor)
    mark(monkeypatch)
    found = {}
    for name, write in CALLS.items():
        with transaction.atomic():
            answer = send(world, name, write, write.before(world))
            assert answer.status_code < 400, name
            if kept := list(_translated_cells()):
                found[name] = kept
            transaction.set_rollback(True)
    assert found == {}


def _translated_cells() -> Iterator[str]:
    """Every stored text with a mark of translation in it."""
    for table in sorted(set(connection.introspection.table_names()) - _NOT_KEPT):
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT * FROM "{table}"')
            for row in cursor.fetchall():
                yield from (f"{table}: {cell}" for cell in row if OPEN in str(cell))


@pytest.mark.django_db
def test_no_file_and_no_answer_to_a_program_is_translated(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark(monkeypatch)
    found, seen = [], 0
    for name in DOORS:
        route = world.route(name)
        for role in sorted(DOORS[name].roles):
            answer = world.knock(role, DOORS[name].kind, "GET", world.url(route, role, "own"))
            if answer.status_code == 200 and not _is_page(answer):
                seen += 1
                found += [f"{name} as {role}"] if OPEN in answer.text_of_body else []
    assert found == []
    assert seen > 10


def _is_page(answer: Answer) -> bool:
    return answer.headers["Content-Type"].startswith("text/html")
