"""Importing column metadata: it fills in the form, and declares nothing by itself."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset, Upload
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.datasets.registering import uploaded

SignIn = Callable[[Membership], Client]
LOMAS = b"""
max_ids: 1
rows: 4
columns:
  age: {type: int, lower: 0, upper: 120}
  sex: {type: string, categories: [f, m]}
  height: {type: float, lower: 0, upper: 3}
"""


def send(client: Client, upload: Upload, content: bytes = LOMAS) -> Any:
    file = SimpleUploadedFile("lomas.yaml", content)
    return client.post(reverse("datasets:import_columns", args=[upload.pk]), {"file": file})


def register_page(client: Client, upload: Upload) -> Any:
    return client.get(reverse("datasets:register", args=[upload.pk]))


def test_what_was_read_is_in_the_form_and_what_was_not_is_named(
    browser: Client, upload: Upload
) -> None:
    assert send(browser, upload).url == reverse("datasets:register", args=[upload.pk])
    response = register_page(browser, upload)
    age, sex, city = response.context["form"].columns
    assert (age["kind"].value(), age["lower"].value(), age["upper"].value()) == (
        "number",
        "0",
        "120",
    )
    assert sex["categories"].value() == "f\nm"
    assert city["kind"].value() in ("", None)
    page = response.content.decode()
    assert "Filled in from a Lomas file" in page
    assert "height is described, but not in the file." in page
    assert "left out so far: city." in page


def test_an_import_declares_nothing(browser: Client, upload: Upload) -> None:
    """G1: no entry, no dataset, the upload is as it was."""
    before = AuditEntry.objects.count()
    send(browser, upload)
    assert AuditEntry.objects.count() == before
    assert not Dataset.objects.exists()
    upload.refresh_from_db()
    assert upload.state == Upload.State.READY


def test_what_was_imported_belongs_to_its_upload_alone(browser: Client, upload: Upload) -> None:
    other = uploaded(browser, b"age,sex,city\n1,f,x\n")
    send(browser, upload)
    assert register_page(browser, other).context["imported"] is None


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "empty"), (b"a: [", "cannot be read"), (b"x" * 300_000, "larger than 200 KB")],
)
def test_a_file_that_cannot_be_read_is_refused_at_its_field(
    browser: Client, upload: Upload, content: bytes, said: str
) -> None:
    response = send(browser, upload, content)
    assert response.status_code == 422
    assert said in response.content.decode()
    assert 'id="id_file_error"' in response.content.decode()
    assert register_page(browser, upload).context["imported"] is None


def test_no_file_at_all_is_refused_at_the_field(browser: Client, upload: Upload) -> None:
    response = browser.post(reverse("datasets:import_columns", args=[upload.pk]))
    assert response.status_code == 422
    assert "Choose a file first." in response.content.decode()


def test_a_colleague_cannot_import_into_somebody_s_upload(
    upload: Upload, owner: Membership, client_for: SignIn
) -> None:
    """E11: uploads are their uploader's alone."""
    colleague = client_for(join(owner.tenant, Role.OWNER, "otto"))
    assert send(colleague, upload).status_code == 404


def test_a_used_upload_takes_no_import(browser: Client, upload: Upload) -> None:
    Upload.objects.update(state=Upload.State.USED)
    assert send(browser, upload).url == reverse("datasets:list")


def test_names_in_a_file_are_inert(browser: Client, upload: Upload) -> None:
    """J6"""
    send(browser, upload, b"columns:\n '<script>alert(1)</script>': {type: int}")
    page = register_page(browser, upload).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_the_import_is_guarded_against_foreign_sites(upload: Upload, owner: Membership) -> None:
    """H4: without the page's token nothing is read."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner.user)
    assert send(client, upload).status_code == 403
