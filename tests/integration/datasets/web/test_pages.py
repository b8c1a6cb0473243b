"""What each person sees of datasets, and what only their owner may change."""

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset, Upload
from dpgov.datasets.selectors import current_version
from dpgov.datasets.templatetags.privacy_label import noise_lines
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Mode
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.datasets.registering import register
from tests.made_once import made_once

SignIn = Callable[[Membership], Client]


@made_once
def people(browser: Client, upload: Upload) -> Dataset:
    register(browser, upload)
    return Dataset.objects.select_related("budget").get()


def body(response: Any) -> bytes:
    """The page without what is new in every response: the nonce and the form's token."""
    changing = rb'nonce="[^"]*"|"X-CSRFToken": "[^"]*"|csrfmiddlewaretoken" value="[^"]*"'
    return re.sub(changing, b"", response.content)


def text_of(response: Any) -> str:
    """The words of a page, in one line."""
    words = re.sub(r"<[^>]*>", " ", response.content.decode()).replace("&nbsp;", " ")
    return " ".join(words.split())


def beside(dataset: Dataset, name: str) -> None:
    """Another dataset about the same people, which uses the same budget."""
    other = Dataset.objects.get(pk=dataset.pk)
    other.pk, other.slug, other.name = uuid4(), name.lower(), name
    other.save(force_insert=True)


def latest(dataset: Dataset) -> AuditEntry:
    return AuditEntry.objects.filter(tenant_id=dataset.tenant_id).order_by("-sequence")[:1].get()


def test_an_empty_list_says_what_to_do(
    browser: Client, analyst: Membership, client_for: SignIn
) -> None:
    page = reverse("datasets:list")
    assert "Register the first dataset" in browser.get(page).content.decode()
    assert "Ask one of them" in client_for(analyst).get(page).content.decode()


def test_the_detail_page_is_the_privacy_label(
    people: Dataset, analyst: Membership, client_for: SignIn
) -> None:
    page = client_for(analyst).get(reverse("datasets:detail", args=["people"])).content.decode()
    for fact in (
        "each single row",
        "at most ε&nbsp;3",
        "at most ε&nbsp;1",
        "0 to 120 in steps of 1",
        "f, m",
        "discrete Laplace, on exact sums",
    ):
        assert fact in page
    assert "Archive" not in page
    assert "Basel" not in page
    assert "city" not in page


@pytest.mark.parametrize(
    ("counting", "sums"),
    [
        (Mode.PURE, "discrete Laplace, on exact sums"),
        (
            Mode.ZCDP,
            "discrete Gaussian or discrete Laplace, whichever is smaller, on exact sums",
        ),
    ],
)
def test_the_label_names_whatever_may_release_an_answer(counting: Mode, sums: str) -> None:
    choices = "report noisy max, for median, quantiles, minimum and maximum"
    assert noise_lines(counting) == [sums, choices]


def test_nothing_about_the_file_reaches_an_analyst(
    people: Dataset, analyst: Membership, client_for: SignIn
) -> None:
    """H4, E11: no path, fingerprint, true size or name of the file, on any page or in the API."""
    version = people.versions.get()
    client = client_for(analyst)
    for name, args in (("list", []), ("detail", ["people"])):
        page = client.get(reverse(f"datasets:{name}", args=args)).content.decode()
        for secret in (version.fingerprint.whole, str(version.pk), "people.csv", "duckdb"):
            assert secret not in page


def test_an_upload_is_its_uploaders_alone(
    upload: Upload, owner: Membership, client_for: SignIn, stranger: Membership
) -> None:
    """E11: a colleague of the same role, and a stranger, find nothing there."""
    colleague = join(owner.tenant, Role.OWNER, "otto")
    missing = "00000000-0000-4000-8000-000000000000"
    for other in (colleague, stranger):
        client = client_for(other)
        bodies = set()
        for upload_id in (str(upload.pk), missing):
            for name, method in (("register", client.get), ("register", client.post)):
                response = method(reverse(f"datasets:{name}", args=[upload_id]))
                assert response.status_code == 404
                bodies.add(body(response))
            assert client.post(reverse("datasets:discard", args=[upload_id])).status_code == 404
        assert len(bodies) == 1
        assert "people.csv" not in client.get(reverse("datasets:upload")).content.decode()
        assert "people.csv" not in client.get(reverse("datasets:list")).content.decode()
    assert Upload.objects.get().state == Upload.State.READY


@pytest.mark.parametrize("page", ["detail", "describe", "limit", "archive"])
def test_foreign_looks_like_missing(browser: Client, foreign_dataset: Dataset, page: str) -> None:
    """H1: the same status and the same body."""
    foreign = browser.get(reverse(f"datasets:{page}", args=[foreign_dataset.slug]))
    missing = browser.get(reverse(f"datasets:{page}", args=["nowhere"]))
    assert (foreign.status_code, missing.status_code) == (404, 404)
    assert body(foreign) == body(missing)


@pytest.mark.parametrize("role", [Role.ANALYST, Role.OFFICER, Role.ADMIN])
def test_only_owners_change_things(
    people: Dataset, owner: Membership, client_for: SignIn, role: str
) -> None:
    """H1: everybody else is refused, by GET and by POST, and nothing has changed."""
    client = client_for(join(owner.tenant, Role(role), "nora"))
    entries = AuditEntry.objects.count()
    for page in ("describe", "limit", "archive"):
        address = reverse(f"datasets:{page}", args=["people"])
        assert client.get(address).status_code == 403
        assert client.post(address, {"epsilon_limit": "1", "reason": "x"}).status_code == 403
    assert client.get(reverse("datasets:upload")).status_code == 403
    assert AuditEntry.objects.count() == entries
    assert Dataset.objects.get().archived_at is None


def test_archiving_asks_first_and_happens_once(browser: Client, people: Dataset) -> None:
    """G1: one entry; afterwards it looks missing, and a second POST changes nothing."""
    address = reverse("datasets:archive", args=["people"])
    assert "Nothing is given back" in browser.get(address).content.decode()
    assert Dataset.objects.get().archived_at is None
    assert browser.post(address).status_code == 302
    assert latest(people).action == "DATASET_ARCHIVED"
    entries = AuditEntry.objects.count()
    assert browser.post(address).status_code == 404
    assert browser.get(reverse("datasets:detail", args=["people"])).status_code == 404
    assert AuditEntry.objects.count() == entries


def test_the_limit_is_lowered_with_a_reason(browser: Client, people: Dataset) -> None:
    """A8, G1: one entry that names both limits and the reason."""
    data = {"epsilon_limit": "2.5", "reason": "fewer questions than planned"}
    data["confirmed"] = "2500000000"
    assert browser.post(reverse("datasets:limit", args=["people"]), data).status_code == 302
    people.budget.refresh_from_db()
    assert people.budget.limit_nano == 2_500_000_000
    assert latest(people).action == "BUDGET_LIMIT_CHANGED"
    assert "fewer questions" in latest(people).detail


def test_a_lower_limit_is_sent_twice_since_one_person_cannot_take_it_back(
    browser: Client, people: Dataset
) -> None:
    """A8: the first press changes nothing and says what would be left, and of whom else."""
    beside(people, "Elsewhere")
    path = reverse("datasets:limit", args=["people"])
    typed = {"epsilon_limit": "0.5", "reason": "fewer questions"}
    said = text_of(browser.post(path, typed))
    assert "From ε 3 to ε 0.5: ε 0.5 would remain." in said
    assert "Only two persons can raise it again." in said
    assert "The same limit binds questions about Elsewhere." in said
    other = browser.post(path, {**typed, "confirmed": "2000000000"})
    assert "From ε 3 to ε 0.5" in text_of(other)
    people.budget.refresh_from_db()
    assert people.budget.limit_nano == 3 * NANO
    assert browser.post(path, {**typed, "confirmed": "500000000"}).status_code == 302
    people.budget.refresh_from_db()
    assert people.budget.limit_nano == NANO // 2


@pytest.mark.tampers_with_ledger
def test_lowering_to_what_is_committed_says_that_nothing_more_can_be_asked(
    browser: Client, people: Dataset
) -> None:
    """A8"""
    Budget.objects.filter(pk=people.budget_id).update(spent_nano=NANO)
    typed = {"epsilon_limit": "1", "reason": "enough"}
    answer = browser.post(reverse("datasets:limit", args=["people"]), typed)
    said = text_of(answer)
    assert "From ε 3 to ε 1: ε 0 would remain, nothing more can be asked." in said
    refused = browser.post(
        reverse("datasets:limit", args=["people"]), {**typed, "epsilon_limit": "0.9"}
    )
    assert refused.status_code == 422
    assert "ε 1 is already spent or reserved" in text_of(refused)


@pytest.mark.parametrize("typed", ["3", "4", "0", "-1", "NaN", "", "1e-400"])
def test_a_limit_that_is_not_lower_is_refused_at_its_field(
    browser: Client, people: Dataset, typed: str
) -> None:
    """A8: raising takes two persons and is not offered."""
    data: dict[str, Any] = {"epsilon_limit": typed, "reason": "because"}
    response = browser.post(reverse("datasets:limit", args=["people"]), data)
    assert response.status_code == 422
    assert 'id="id_epsilon_limit_error"' in response.content.decode()
    people.budget.refresh_from_db()
    assert people.budget.limit_nano == 3 * NANO


def test_the_description_can_be_changed(browser: Client, people: Dataset) -> None:
    """G1: one entry."""
    address = reverse("datasets:describe", args=["people"])
    assert browser.post(address, {"description": "Better words."}).status_code == 302
    assert Dataset.objects.get().description == "Better words."
    assert latest(people).action == "DATASET_DESCRIBED"


def test_text_of_users_is_inert(browser: Client, upload: Upload) -> None:
    """J6: names, descriptions and categories are escaped wherever they are shown."""
    script = "<script>alert(1)</script>"
    categories = f"f\r\n{script}"
    register(browser, upload, name=script, description=script, sex__categories=categories)
    slug = Dataset.objects.get().slug
    for address in (reverse("datasets:list"), reverse("datasets:detail", args=[slug])):
        page = browser.get(address).content.decode()
        assert script not in page
        assert "&lt;script&gt;" in page


def test_the_label_says_where_a_missing_value_is_counted(browser: Client, people: Dataset) -> None:
    """Left out of statistics is not left out of groups; what is never missing is not left out."""
    page = text_of(browser.get(reverse("datasets:detail", args=[people.slug])))
    assert "in groups it is in “other”, or in “no date”" in page
    assert "left out of statistics" in page
    column = current_version(people).columns.get(name="age")
    column.missing = "require"
    table = render_to_string("datasets/_column_table.html", {"columns": [column]})
    assert "there are none" in table
    assert "left out of statistics" not in table
