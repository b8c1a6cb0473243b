"""F9: what resembles earlier data is held, and two persons decide what becomes of it."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.approvals.models import ChangeRequest, Kind
from dpgov.approvals.services import Decision, approve
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import decide_as_agreed
from dpgov.privacy.budget import NANO
from dpgov.tenants.models import Membership
from tests.integration.datasets.invented import Rows, as_csv, as_parquet, people
from tests.integration.datasets.registering import register, uploaded

SignIn = Callable[[Membership], Client]
PEOPLE = people(1)
CHANGED: dict[str, Callable[[Rows], bytes]] = {
    "one row changed": lambda rows: as_csv([("7", "f", "1.5"), *rows[1:]]),
    "one row less": lambda rows: as_csv(rows[1:]),
    "rows added": lambda rows: as_csv(rows + people(2, 3)),
    "one row changed, in Parquet": lambda rows: as_parquet([("7", "f", "1.5"), *rows[1:]]),
    "a column without its values": lambda rows: as_csv([(a, "", c) for a, _, c in rows]),
    "a column that says something else": lambda rows: as_csv(
        [(a, b[:0] + "x", c) for a, b, c in rows]
    ),
}
SAME: dict[str, bytes] = {
    "the same file": as_csv(PEOPLE),
    "rows in another order": as_csv(PEOPLE[::-1]),
    "columns turned round and renamed": as_csv(
        [(b, c, a) for a, b, c in PEOPLE], ("sex", "x", "age")
    ),
    "Parquet for CSV": as_parquet(PEOPLE),
}


def arrives(client: Client, content: bytes, **changes: str) -> Dataset:
    """Upload and register it; the newest dataset."""
    upload = uploaded(client, content)
    if upload.headers != ["age", "sex", "city"]:
        changes |= {
            f"column-{place}-{field}": ""
            for place in range(len(upload.headers))
            for field in ("kind", "lower", "upper", "step", "categories")
        }
        place = upload.headers.index("age")
        number = {"kind": "number", "lower": "0", "upper": "120", "step": "1"}
        changes |= {f"column-{place}-{field}": value for field, value in number.items()}
    response = register(client, upload, **changes)
    assert response.status_code == 302, response.content.decode()
    return Dataset.objects.latest("created_at")


@pytest.fixture
def elsewhere(stranger: Membership, client_for: SignIn) -> Client:
    """The browser of an owner of another tenant."""
    return client_for(stranger)


@pytest.fixture
def earlier(browser: Client) -> Dataset:
    """Sixty invented people who have a budget."""
    return arrives(browser, as_csv(PEOPLE), name="Earlier")


@pytest.fixture
def held(browser: Client, earlier: Dataset) -> Dataset:
    """Much the same people in the same tenant."""
    return arrives(browser, CHANGED["one row changed"](PEOPLE), name="Later", epsilon_limit="9")


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED.keys())
def test_much_the_same_data_is_held_in_the_same_tenant_and_in_any_other(
    browser: Client, elsewhere: Client, earlier: Dataset, change: Callable[[Rows], bytes]
) -> None:
    """F9: what people do to a file before they upload it again."""
    assert arrives(browser, change(PEOPLE)).held_at is not None
    assert arrives(elsewhere, change(PEOPLE)).held_at is not None


@pytest.mark.parametrize("content", SAME.values(), ids=SAME.keys())
def test_the_same_data_shares_its_budget_at_home_and_is_held_elsewhere(
    browser: Client, elsewhere: Client, earlier: Dataset, content: bytes
) -> None:
    """F9, F11: at home there is nothing to decide."""
    again = arrives(browser, content)
    assert (again.held_at, again.budget_id) == (None, earlier.budget_id)
    moved = arrives(elsewhere, content)
    assert moved.held_at is not None
    assert moved.budget_id != earlier.budget_id


def test_other_people_in_the_same_columns_are_not_held(
    browser: Client, elsewhere: Client, earlier: Dataset
) -> None:
    """F9: the same schema and distributions say nothing."""
    assert arrives(browser, as_csv(people(3))).held_at is None
    assert arrives(elsewhere, as_csv(people(4))).held_at is None


def test_a_held_dataset_looks_missing_to_analysts(
    held: Dataset,
    analyst: Membership,
    client_for: SignIn,
    api_for: Callable[[Membership], APIClient],
) -> None:
    """F9, H1: on every page, in the API, and as a question."""
    client, api = client_for(analyst), api_for(analyst)
    for name in ("datasets:detail", "queries:ask", "dashboards:budget", "dashboards:group_privacy"):
        assert client.get(reverse(name, args=[held.slug])).status_code == 404
    for name in ("datasets:list", "dashboards:overview", "dashboards:history"):
        page = client.get(reverse(name)).content.decode()
        assert "Later" not in page
        assert "Held" not in page
    assert [found["name"] for found in api.get("/api/v1/datasets/").json()["results"]] == [
        "Earlier"
    ]
    plan = {"dataset": held.slug, "statistics": [{"statistic": "count"}], "epsilon": 0.1}
    asked = api.post("/api/v1/queries/", plan, format="json", headers={"Idempotency-Key": "k"})
    nowhere = api.post(
        "/api/v1/queries/",
        plan | {"dataset": "nowhere"},
        format="json",
        headers={"Idempotency-Key": "l"},
    )
    assert asked.status_code == nowhere.status_code
    assert held.slug not in asked.content.decode()


def test_its_owner_may_do_nothing_with_it_but_ask_for_a_decision(
    browser: Client, held: Dataset
) -> None:
    """F9: no describing, archiving, versions or limits while it is held."""
    for page in ("describe", "rename", "access", "versions", "limit", "archive"):
        assert browser.get(reverse(f"datasets:{page}", args=[held.slug])).status_code == 404
    assert "Held for a compliance check" in browser.get(reverse("datasets:list")).content.decode()


def test_the_owner_reads_the_same_whether_the_match_is_inside_or_outside(
    browser: Client, elsewhere: Client, earlier: Dataset
) -> None:
    """F9, H8: the same words, the same form, the same redirect, and nothing of whose it is."""
    change = CHANGED["one row less"](PEOPLE)
    arrives(elsewhere, as_csv(people(8)), name="Earlier")
    inside = arrives(browser, change, name="Later")
    outside = arrives(elsewhere, change, name="Later")
    pages = [
        client.get(reverse("datasets:held", args=[dataset.pk])).content.decode()
        for client, dataset in ((browser, inside), (elsewhere, outside))
    ]
    assert _plain(pages[0]) == _plain(pages[1])
    assert "resembles-title" not in pages[0]
    assert "another organisation" not in pages[0]


def _plain(page: str) -> str:
    """The main part without ids, tokens, times and people's names."""
    main = page[page.index("<main") : page.index("</main>")]
    hidden = r"csrfmiddlewaretoken\" value=\"[^\"]*\""
    changing = rf"[0-9a-f]{{8}}-[0-9a-f-]{{27}}|Olga|Sven|{hidden}|<time.*?</time>"
    return re.sub(changing, "", main, flags=re.S)


def test_an_officer_sees_own_datasets_by_name_and_others_as_being_there(
    held: Dataset,
    browser: Client,
    elsewhere: Client,
    officer: Membership,
    client_for: SignIn,
) -> None:
    """F9: no name, count or time of another tenant's."""
    address = reverse("datasets:held", args=[held.pk])
    before = client_for(officer).get(address).content.decode()
    assert "mostly the same rows" in before
    assert "Earlier" in before
    assert "another organisation" not in before
    arrives(elsewhere, as_csv(PEOPLE), name="Secret study")
    arrives(elsewhere, as_csv(PEOPLE[::-1]), name="Second secret")
    after = client_for(officer).get(address).content.decode()
    assert after.count("Data of another organisation in this installation") == 1
    assert "ecret" not in after
    assert "Elsewhere" not in after


def decide(
    browser: Client, officer: Membership, dataset: Dataset, kind: Kind, **more: Any
) -> Decision:
    """The owner asks in the browser, the officer approves; both with a reason."""
    data = {"kind": kind.value, "reason": "looked at", **more}
    response = browser.post(reverse("datasets:held", args=[dataset.pk]), data)
    assert response.status_code == 302, response.content.decode()
    request = ChangeRequest.objects.latest("requested_at")
    return approve(
        request_id=request.pk, decider=officer, reason="agreed", carry_out=decide_as_agreed
    )


def entries() -> list[str]:
    return list(AuditEntry.objects.order_by("sequence").values_list("action", flat=True))


def test_released_it_has_the_budget_it_came_with(
    browser: Client, officer: Membership, held: Dataset, earlier: Dataset
) -> None:
    """F9: other people; one entry for the hold, the request and the decision each."""
    decide(browser, officer, held, Kind.RELEASE_HELD_DATASET)
    held.refresh_from_db()
    assert (held.held_at, held.held_reason) == (None, "")
    assert held.budget_id != earlier.budget_id
    assert held.budget.limit_nano == 9 * NANO
    assert browser.get(reverse("datasets:detail", args=[held.slug])).status_code == 200
    assert entries()[-4:] == [
        "FILE_UPLOADED",
        "DATASET_HELD",
        "CHANGE_REQUESTED",
        "CHANGE_APPROVED",
    ]


def test_of_the_same_people_it_shares_what_is_left(
    browser: Client, officer: Membership, held: Dataset, earlier: Dataset
) -> None:
    """F9, F11: the limit and what is spent are those of the earlier dataset."""
    decide(browser, officer, held, Kind.SHARE_HELD_DATASET_BUDGET, earlier=str(earlier.pk))
    held.refresh_from_db()
    assert held.held_at is None
    assert held.budget_id == earlier.budget_id
    assert held.budget.limit_nano == 3 * NANO


def test_discarded_its_file_is_gone_and_it_counts_for_nothing(
    browser: Client,
    officer: Membership,
    held: Dataset,
    earlier: Dataset,
    django_capture_on_commit_callbacks: Any,
) -> None:
    """F9: the same file later is held again; it does not find a fresh budget to share."""
    path = storage.data_path(current_version(held).pk)
    assert path.exists()
    with django_capture_on_commit_callbacks(execute=True):
        decide(browser, officer, held, Kind.DISCARD_HELD_DATASET)
    assert not path.exists()
    assert browser.get(reverse("datasets:held", args=[held.pk])).status_code == 404
    assert "Later" not in browser.get(reverse("datasets:list")).content.decode()
    again = arrives(browser, CHANGED["one row changed"](PEOPLE), name="Again")
    assert again.held_at is not None
    assert again.budget_id != held.budget_id


def test_of_two_held_twins_only_one_gets_a_budget(
    browser: Client, officer: Membership, held: Dataset
) -> None:
    """F9: when the second is decided, exactly its data has a budget already."""
    twin = arrives(browser, CHANGED["one row changed"](PEOPLE), name="Twin")
    decide(browser, officer, held, Kind.RELEASE_HELD_DATASET)
    decision = decide(browser, officer, twin, Kind.RELEASE_HELD_DATASET)
    assert decision.request.state == ChangeRequest.State.STALE
    assert "exactly the data of “Later”" in decision.request.outcome
    twin.refresh_from_db()
    assert twin.held_at is not None


def test_another_guarantee_cannot_share_a_budget(
    browser: Client, officer: Membership, earlier: Dataset
) -> None:
    """F9: losses under two relations cannot be added up; nothing happens."""
    later = arrives(browser, CHANGED["one row less"](PEOPLE), neighbouring="change_one")
    decision = decide(
        browser, officer, later, Kind.SHARE_HELD_DATASET_BUDGET, earlier=str(earlier.pk)
    )
    assert decision.request.state == ChangeRequest.State.STALE
    later.refresh_from_db()
    assert later.held_at is not None


def test_a_budget_is_shared_with_an_own_dataset_that_is_not_held_itself(
    browser: Client, elsewhere: Client, held: Dataset
) -> None:
    """F9, H4: neither another tenant's, nor one that is held, nor none; said at the field."""
    foreign = arrives(elsewhere, as_csv(people(9)))
    twin = arrives(browser, CHANGED["one row less"](PEOPLE))
    for chosen in (str(foreign.pk), str(twin.pk), str(held.pk), "", "nonsense"):
        data = {"kind": "share_held_dataset_budget", "earlier": chosen, "reason": "same"}
        response = browser.post(reverse("datasets:held", args=[held.pk]), data)
        assert response.status_code == 422
        assert 'id="id_earlier_error"' in response.content.decode()
    assert not ChangeRequest.objects.exists()


def test_a_decision_happens_once(browser: Client, officer: Membership, held: Dataset) -> None:
    """F9: what was requested before somebody else decided is out of date."""
    address = reverse("datasets:held", args=[held.pk])
    browser.post(address, {"kind": "discard_held_dataset", "reason": "a mistake"})
    waiting = ChangeRequest.objects.get()
    decide(browser, officer, held, Kind.RELEASE_HELD_DATASET)
    decision = approve(
        request_id=waiting.pk, decider=officer, reason="late", carry_out=decide_as_agreed
    )
    assert decision.request.state == ChangeRequest.State.STALE
    held.refresh_from_db()
    assert (held.held_at, held.archived_at) == (None, None)


def test_with_another_key_nothing_is_registered(
    browser: Client, earlier: Dataset, settings: Any
) -> None:
    """F9, F11: a lost key must not make all data look new."""
    settings.DPGOV_FINGERPRINT_KEY = bytes(32)
    response = register(browser, uploaded(browser, as_csv(PEOPLE)))
    assert response.status_code == 422
    assert "put the earlier key back" in response.content.decode()
    assert Budget.objects.count() == 1
