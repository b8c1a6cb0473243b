"""A registration can be left, found again, looked at as a label, and only then counts."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.datasets import services
from dpgov.datasets.models import Dataset, Draft, Upload
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.eager import read_waiting
from tests.integration.datasets.registering import declared, uploaded

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


def kept_by_itself(browser: Client, upload: Upload, seen: str, **changes: str) -> Any:
    """What the form's script sends every few seconds."""
    address = reverse("datasets:save_draft", args=[upload.pk]) + "?by-itself"
    return browser.post(address, declared(**changes) | {"draft_seen": seen})


def test_what_was_typed_is_there_again_right_or_wrong(
    owner: Membership, client_for: ClientFor
) -> None:
    browser = client_for(owner)
    upload = uploaded(browser)
    entries = AuditEntry.objects.count()
    typed = declared(name="Half done", epsilon_limit="no number", age__upper="99")
    browser.post(reverse("datasets:save_draft", args=[upload.pk]), typed)
    page = browser.get(reverse("datasets:register", args=[upload.pk]))
    for text in ('value="Half done"', 'value="no number"', 'value="99"'):
        assert text in page.text
    assert page.context["problems"] == []
    assert "draft saved" in browser.get("/datasets/").text
    assert AuditEntry.objects.count() == entries


def test_the_review_shows_the_label_and_registers_nothing(
    owner: Membership, client_for: ClientFor
) -> None:
    browser = client_for(owner)
    upload = uploaded(browser)
    page = browser.post(reverse("datasets:review", args=[upload.pk]), declared())
    assert "Privacy label" in page.text
    assert "0 to 120 in steps of 1" in page.text
    assert "city: not kept" in page.text
    assert not Dataset.objects.exists()
    browser.post(reverse("datasets:register", args=[upload.pk]), dict(page.context["fields"]))
    read_waiting()
    assert Dataset.objects.get().name == "People"
    assert not Draft.objects.exists()


def test_what_was_sent_and_refused_is_kept_before_a_save_that_arrives_after_it(
    owner: Membership, client_for: ClientFor
) -> None:
    """The script's save was on its way; its window goes on, and the page that followed too."""
    browser = client_for(owner)
    upload = uploaded(browser)
    asked = {"name": "Sent", "age__upper": "no number"}
    for address in ("review", "check", "register"):
        before = services.draft_seen(upload)
        page = browser.post(reverse(f"datasets:{address}", args=[upload.pk]), declared(**asked))
        assert page.status_code == 422
        late = kept_by_itself(browser, upload, before, name="On its way")
        assert late.status_code == 409
        assert services.draft_of(upload)["name"] == "Sent"
        seen = page.context["draft_seen"]
        assert kept_by_itself(browser, upload, seen, name="Later").status_code == 200


_ROW = {"epsilon_limit": "3"}
_PERSON = {
    "unit": "person",
    "private_id": "city",
    "max_rows_per_unit": "2",
    "max_groups_per_unit": "1",
    "public_rows": "4",
}
_ZCDP = {"mode": "zcdp", "delta": "1e-6", "needs_allocation": "on", "named_only": "on"}


def label_of(page: Any) -> dict[str, str]:
    """The terms of the privacy label on a page, each with what stands beside it."""
    label = re.search(r'aria-labelledby="label-title">(.*?)</section>', page.text, re.DOTALL)
    assert label is not None
    pairs = re.findall(r"<dt>(.*?)</dt>\s*<dd.*?>(.*?)</dd>", label[1], re.DOTALL)
    return {_said(term): _said(fact) for term, fact in pairs}


def _said(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


@pytest.mark.parametrize(
    ("changes", "known_later"),
    [
        (_ROW, {}),
        (_PERSON, {}),
        (_ZCDP, {}),
        ({"partition_column": "sex"}, {}),
        (
            {"neighbouring": "change_one"},
            {"Rows": ("as many as the file has, public; never more", "4, public; never more")},
        ),
        (
            _PERSON | {"neighbouring": "change_one"},
            {"People": ("as many as the file names, public", "2, public")},
        ),
    ],
    ids=["row", "person", "zcdp", "parts", "public rows", "public people"],
)
def test_the_label_of_a_dataset_is_the_one_that_its_review_showed(
    changes: dict[str, str],
    known_later: dict[str, tuple[str, str]],
    owner: Membership,
    client_for: ClientFor,
) -> None:
    """Term by term; but when it was registered, and numbers that the file alone tells."""
    browser = client_for(owner)
    upload = uploaded(browser)
    review = browser.post(reverse("datasets:review", args=[upload.pk]), declared(**changes))
    reviewed = label_of(review)
    browser.post(reverse("datasets:register", args=[upload.pk]), dict(review.context["fields"]))
    read_waiting()
    registered = label_of(browser.get(f"/datasets/{Dataset.objects.get().slug}/"))
    assert list(registered) == list(reviewed)
    assert len(reviewed) > 9
    told = {term for term in reviewed if registered[term] != reviewed[term]}
    assert told == {"Registered", *known_later}
    assert reviewed["Registered"] == "not yet"
    for term, (before, after) in known_later.items():
        assert reviewed[term].startswith(before)
        assert registered[term].startswith(after)


def test_the_review_of_what_is_wrong_says_so_at_the_field(
    owner: Membership, client_for: ClientFor
) -> None:
    browser = client_for(owner)
    upload = uploaded(browser)
    page = browser.post(
        reverse("datasets:review", args=[upload.pk]), declared(epsilon_per_query="9")
    )
    assert page.status_code == 422
    assert "cannot cost more than the limit" in page.text


def test_a_deleted_upload_takes_its_draft_along(owner: Membership, client_for: ClientFor) -> None:
    browser = client_for(owner)
    upload = uploaded(browser)
    browser.post(reverse("datasets:save_draft", args=[upload.pk]), declared())
    browser.post(reverse("datasets:discard", args=[upload.pk]))
    assert not Draft.objects.exists()


def test_a_form_that_saves_itself_is_found_again_in_another_browser(
    owner: Membership, client_for: ClientFor
) -> None:
    browser = client_for(owner)
    upload = uploaded(browser)
    first = kept_by_itself(browser, upload, "", name="Begun", age__upper="99")
    second = kept_by_itself(browser, upload, first.json()["seen"], name="Begun", age__upper="98")
    assert (first.status_code, second.status_code) == (200, 200)
    page = client_for(owner).get(reverse("datasets:register", args=[upload.pk]))
    assert 'value="98"' in page.text
    assert f'name="draft_seen" value="{second.json()["seen"]}"'.replace("+", "&#43;") in (
        page.text.replace("+", "&#43;")
    )
    assert "draft_seen" not in Draft.objects.get().typed


def test_an_older_window_does_not_write_over_a_newer_one(
    owner: Membership, client_for: ClientFor
) -> None:
    browser = client_for(owner)
    upload = uploaded(browser)
    old = kept_by_itself(browser, upload, "", name="Old").json()["seen"]
    kept_by_itself(browser, upload, old, name="New")
    late = kept_by_itself(browser, upload, old, name="Older still")
    assert late.status_code == 409
    assert "another window" in late.json()["refused"]
    assert Draft.objects.get().typed["name"] == "New"


def test_a_draft_is_read_and_written_by_its_one_person(
    owner: Membership, stranger: Membership, client_for: ClientFor
) -> None:
    """E11: a colleague and another organisation meet the same missing page; nothing changes."""
    browser = client_for(owner)
    upload = uploaded(browser)
    kept_by_itself(browser, upload, "", name="Mine alone")
    kept = Draft.objects.get()
    for other in (join(owner.tenant, Role.OWNER, "otto"), stranger):
        foreign = client_for(other)
        assert kept_by_itself(foreign, upload, kept.saved_at.isoformat()).status_code == 404
        assert foreign.get(reverse("datasets:register", args=[upload.pk])).status_code == 404
        assert "Mine alone" not in foreign.get("/datasets/").text
    now = Draft.objects.get()
    assert (now.typed, now.saved_at) == (kept.typed, kept.saved_at)


def test_a_registered_file_takes_no_draft_any_more(
    owner: Membership, client_for: ClientFor
) -> None:
    browser = client_for(owner)
    upload = uploaded(browser)
    Upload.objects.update(state=Upload.State.USED)
    answer = kept_by_itself(browser, upload, "")
    assert answer.status_code == 409
    assert not Draft.objects.exists()


def test_older_files_are_folded_and_columns_are_chosen_from_a_list(
    owner: Membership, client_for: ClientFor
) -> None:
    browser = client_for(owner)
    for place in range(3):
        upload = uploaded(browser, f"age,sex,city\n{place},f,Ulm\n".encode())
    assert "1 older file" in " ".join(browser.get("/datasets/").text.split())
    page = browser.get(reverse("datasets:register", args=[upload.pk]))
    for name in ("private_id", "partition_column"):
        choices = list(page.context["form"].dataset.fields[name].widget.choices)
        assert [key for key, _ in choices] == ["", "age", "sex", "city"]
    assert 'data-begin="0.3"' in page.text
