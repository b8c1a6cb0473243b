"""A registration can be left, found again, looked at as a label, and only then counts."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset, Draft
from dpgov.tenants.models import Membership
from tests.eager import read_waiting
from tests.integration.datasets.registering import declared, uploaded

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


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
