"""A table that stays in its owner's server is registered, asked and recognised (decision 47)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets.models import Checked, Dataset, LiveMark, LiveTable, Upload
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import engine_for
from dpgov.engines.base import EngineFailure
from dpgov.engines.postgres import engine as asking
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind
from dpgov.queries.answering.answer import answer_next
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.cast import Ask, publish_now
from tests.eager import refused
from tests.integration.datasets.live.connecting import connect, connected, register, registered
from tests.integration.datasets.registering import register as register_file
from tests.integration.datasets.registering import uploaded
from tests.unit.engines.postgres.owner import READER, Owner

pytestmark = pytest.mark.django_db(transaction=True)
Answer = Callable[[], int]
SignIn = Callable[[Membership], Client]


def _problems(response: Any) -> dict[str, list[str]]:
    """What the page that connects says at each field."""
    assert response.status_code == 422
    return {name: list(words) for name, words in response.context["form"].errors.items()}


def _spent(dataset: Dataset) -> int:
    return Budget.objects.get(pk=dataset.budget_id).spent_nano


def test_a_live_table_is_asked_as_its_rows_in_a_file_are(
    browser: Client, server: Owner, analyst: Membership, ask: Ask
) -> None:
    """M93: The same integers through either engine; the answer is released and charged."""
    live = registered(browser, server)
    rows = server.admin.execute("SELECT age, sex, 'x' FROM people").fetchall()
    text = "age,sex,city\n" + "".join(f"{a},{s},{c}\n" for a, s, c in rows)
    register_file(browser, uploaded(browser, text.encode()), name="In a file")
    version, of_file = current_version(live), current_version(Dataset.objects.get(name="In a file"))
    assert version.file_seal == "live"
    request = ExactRequest(
        (),
        (CodeGrouping(1, ((0, 0), (1, 1))),),
        (Measure(MeasureKind.ROWS), Measure(MeasureKind.CODE_SUM, 0)),
    )
    assert engine_for(version).answer(request) == engine_for(of_file).answer(request)
    query = ask(analyst, of=live)
    assert answer_next()
    assert publish_now() == 1
    assert Release.objects.filter(query=query).exists()
    assert _spent(live) == 500_000_000


def test_what_cannot_be_connected_is_refused_at_its_field_and_nothing_is_kept(
    browser: Client, server: Owner, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """M93: Nothing of what the server says is in it; a server on no list is never called."""
    server.has("texts", {"point": "point"})
    server.does("CREATE OR REPLACE VIEW odd AS SELECT 1 / age AS x FROM people")
    server.does(f"GRANT SELECT ON odd TO {READER}")
    for changes, field in (
        ({"password": "wrong"}, "host"),
        ({"role": "nobody"}, "host"),
        ({"database": "nowhere"}, "host"),
        ({"table": "missing"}, "table"),
        ({"table": "odd"}, "table"),
        ({"table": "texts"}, "table"),
        ({"table": ""}, "table"),
    ):
        response = connect(browser, server, **changes)
        assert list(_problems(response)) == [field], changes
        told = response.content.decode()
        assert "FATAL" not in told
        assert server.server.password not in told
    owns = connect(browser, server, role="admin")
    assert list(_problems(owns)) == ["role"]
    called: list[object] = []
    monkeypatch.setattr(psycopg, "connect", lambda **options: called.append(options))
    for changes in ({"host": "10.0.0.7"}, {"port": "1"}, {"host": "localhost"}):
        assert list(_problems(connect(browser, server, **changes))) == ["host"]
    assert called == []
    assert not LiveTable.objects.exists()
    assert not Upload.objects.exists()
    assert not AuditEntry.objects.exists()


def test_without_a_list_there_is_no_such_door(
    browser: Client, server: Owner, settings: Any
) -> None:
    """M93: No link leads to the page, and whatever is sent there, or was before, calls nobody."""
    page = reverse("datasets:upload")
    assert reverse("datasets:connect") in browser.get(page).text
    upload = connected(browser, server)
    settings.DPGOV_LIVE = settings.DPGOV_LIVE | {"servers": frozenset()}
    assert reverse("datasets:connect") not in browser.get(page).text
    assert list(_problems(connect(browser, server))) == ["host"]
    assert "allows no server yet" in browser.get(reverse("datasets:connect")).text
    assert refused(register(browser, upload))
    assert not Dataset.objects.exists()


def test_nobody_guesses_passwords_through_us(
    browser: Client, server: Owner, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M93: A person connects so many times on one day, whether or not they are let in."""
    settings.DPGOV_CHECKS_A_DAY_PERSON = 2
    for _ in range(2):
        assert list(_problems(connect(browser, server, role="nobody"))) == ["host"]
    monkeypatch.setattr(psycopg, "connect", pytest.fail)
    assert list(_problems(connect(browser, server))) == ["__all__"]
    assert Checked.objects.get().times == 2


AS_NUMBER = {"kind": "number", "categories": "", "lower": "0", "upper": "1", "step": "1"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"neighbouring": "change_one"}, "The number of rows of a live table moves"),
        ({"partition_column": "sex"}, "The budget of a live table is not divided"),
        ({"age__missing": "require"}, "cannot promise that no cell is missing"),
        ({f"sex__{name}": value for name, value in AS_NUMBER.items()}, "does not fit"),
        ({"age__lower": "5", "age__upper": "4"}, "is below the lower bound"),
        ({"max_rows": "999999999999", "age__step": "0.000001"}, "could not be kept exact"),
    ],
)
def test_what_a_live_table_cannot_promise_is_not_declared(
    browser: Client, server: Owner, changes: dict[str, str], words: str
) -> None:
    """M93, D3, D5: No public number of rows, no parts, no “never missing”, no type that may fail.

    And what no dataset may declare: swapped bounds, and sums that would not stay exact.
    """
    response = register(browser, connected(browser, server), **changes)
    assert refused(response)
    assert words in response.content.decode()
    assert not Dataset.objects.exists()


def test_a_table_that_is_registered_already_is_held_whoever_brings_it(
    browser: Client, elsewhere: Client, server: Owner, officer: Membership, client_for: SignIn
) -> None:
    """M93: By the server's own numbers: through a view, or by somebody else, it is known.

    To another organisation it says that the table is here, and neither whose nor which it is.
    """
    first = registered(browser, server, name="The first")
    assert first.held_at is None
    server.does("CREATE VIEW adults AS SELECT id, age, sex FROM people WHERE age > 20")
    server.does("CREATE MATERIALIZED VIEW kept AS SELECT * FROM adults")
    server.does("CREATE VIEW shown AS SELECT * FROM kept")
    server.does(f"GRANT SELECT ON adults, kept, shown TO {READER}")
    again = register(browser, connected(browser, server), name="Again")
    through = register(browser, connected(browser, server, table="adults"), name="Through a view")
    kept = register(browser, connected(browser, server, table="kept"), name="Kept")
    shown = register(browser, connected(browser, server, table="shown"), name="Shown")
    theirs = register(elsewhere, connected(elsewhere, server), name="Theirs")
    named = {"Again": again, "Through a view": through, "Kept": kept, "Shown": shown}
    for name, response in {**named, "Theirs": theirs}.items():
        held = Dataset.objects.get(name=name)
        assert held.held_reason == "like_earlier_data"
        assert response.url == reverse("datasets:held", args=[held.pk])
        assert AuditEntry.objects.filter(action="DATASET_HELD", dataset=held.slug).exists()
    told = elsewhere.get(theirs.url).text
    assert "is registered on this installation already" in told
    assert "The first" not in told
    assert "the table may be registered anew" in told
    seen = client_for(officer).get(again.url).text
    assert "The first" in seen
    assert "exactly the same data" in seen
    server.has("others", {"age": "integer"})
    other = register(
        browser,
        connected(browser, server, table="others"),
        **{"column-0-kind": "number", "column-0-lower": "0", "column-0-upper": "9"},
        **{"column-0-step": "1", "column-1-kind": "", "column-2-kind": "", "name": "Others"},
    )
    assert Dataset.objects.get(name="Others").held_at is None, other
    marks = LiveMark.objects.filter(live__dataset=first).values_list("mark", flat=True)
    assert len(set(marks)) == 3
    assert all(server.server.host not in mark for mark in marks)


@contextmanager
def _voided(ask: Ask, analyst: Membership, live: Dataset, answer_all: Answer) -> Iterator[None]:
    """What is asked inside is answered outside of it: not at all, and for nothing."""
    before = _spent(live)
    query = ask(analyst, of=live)
    yield
    assert answer_all() == 1
    query.refresh_from_db()
    assert query.state == Query.State.VOIDED
    budget = Budget.objects.get(pk=live.budget_id)
    assert (budget.spent_nano, budget.reserved_nano) == (before, 0)


def test_a_table_that_cannot_be_opened_costs_nothing(
    browser: Client,
    server: Owner,
    analyst: Membership,
    ask: Ask,
    answer_all: Answer,
    settings: Any,
) -> None:
    """M93: Another form, more rights, a role that is locked out, a server that is off the list."""
    live, allowed = registered(browser, server), settings.DPGOV_LIVE
    changes = (
        ("ALTER TABLE people ALTER age TYPE text", "ALTER TABLE people ALTER age TYPE integer"),
        (f"GRANT INSERT ON people TO {READER}", f"REVOKE INSERT ON people FROM {READER}"),
        (f"ALTER ROLE {READER} NOLOGIN", f"ALTER ROLE {READER} LOGIN"),
        ("ALTER TABLE people RENAME TO gone", "ALTER TABLE gone RENAME TO people"),
    )
    for change, back in changes:
        with _voided(ask, analyst, live, answer_all):
            server.does(change)
        server.does(f"{back} USING age::integer" if "TYPE" in back else back)
    with _voided(ask, analyst, live, answer_all):
        settings.DPGOV_LIVE = allowed | {"servers": frozenset()}
    settings.DPGOV_LIVE = allowed
    ask(analyst, of=live)
    assert answer_all() == 1
    assert _spent(live) == 500_000_000


def test_a_failure_after_the_table_was_opened_is_charged(
    browser: Client,
    server: Owner,
    analyst: Membership,
    ask: Ask,
    answer_all: Answer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """M93: As in a file: that it failed may come of a row."""
    live = registered(browser, server)
    query = ask(analyst, of=live)
    monkeypatch.setattr(asking, "data_sql", lambda *_: "SELECT 'canary'::integer AS c0")
    with pytest.raises(EngineFailure):
        engine_for(current_version(live)).answer(
            ExactRequest((), (), (Measure(MeasureKind.CODE_SUM, 0),))
        )
    assert answer_all() == 1
    query.refresh_from_db()
    assert query.state == Query.State.FAILED
    assert _spent(live) == 500_000_000


def test_its_questions_are_of_a_class_for_a_slow_server_and_take_a_heavy_place(
    browser: Client, server: Owner, analyst: Membership, ask: Ask, dataset: Dataset
) -> None:
    """M93, E6: By declarations alone: neither the server nor the rows were asked."""
    live = registered(browser, server)
    server.does("DROP TABLE people CASCADE")
    slow, fast = ask(analyst, of=live), ask(analyst, of=dataset)
    assert slow.heavy
    assert not fast.heavy
    assert slow.class_ms >= 2_000 > fast.class_ms
