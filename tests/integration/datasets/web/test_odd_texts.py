"""NUL and half characters, which no database keeps: dropped where a person's texts come in."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from dpgov.datasets import services
from dpgov.datasets.models import Upload
from tests.integration.datasets.registering import CSV, declared

pytestmark = pytest.mark.django_db
ODD = "Peo\0ple"


@pytest.mark.parametrize("page", ["save_draft", "review", "check", "register", "fill"])
def test_what_was_typed_is_kept_without_them(browser: Client, upload: Upload, page: str) -> None:
    """Whatever the form says of it; its name too may be anything."""
    typed = declared(name=ODD) | {"odd\0name": "x", "version_of": ODD}
    answer = browser.post(reverse(f"datasets:{page}", args=[upload.pk]), typed)
    assert answer.status_code < 500
    assert services.draft_of(upload)["name"] == "People"
    assert services.draft_of(upload)["oddname"] == "x"


def test_the_form_s_script_keeps_it_too(browser: Client, upload: Upload) -> None:
    address = reverse("datasets:save_draft", args=[upload.pk]) + "?by-itself"
    assert browser.post(address, declared(name=ODD) | {"draft_seen": ""}).status_code == 200


@pytest.mark.parametrize("page", ["upload", "file", "import_columns", "join", "unjoin"])
def test_an_address_that_names_no_dataset_leads_to_a_new_one(
    browser: Client, upload: Upload, page: str
) -> None:
    """`version-of` is anybody's to write."""
    where = reverse(f"datasets:{page}", args=[] if page == "upload" else [upload.pk])
    described = b'{"columns": {"age": {"type": "int"}}}'
    sent = {
        "upload": {"file": SimpleUploadedFile("people.csv", CSV)},
        "import_columns": {"file": SimpleUploadedFile("columns.json", described)},
    }
    for odd in ("%00", "a%00", "%ED%A0%80"):
        address = f"{where}?version-of={odd}"
        assert browser.get(address).status_code < 500
        assert browser.post(address, sent.get(page, {})).status_code < 500


@pytest.mark.parametrize(
    "content",
    [
        rb'{"columns": {"age": {"type": "int", "lower": "0\u0000", "upper": "1\ud8002"}}}',
        b'columns:\n  age: {type: int, lower: "0\\0", upper: "1\\ud8002"}\n',
        rb'{"columns": {"a\u0000ge": {"type": "int", "lower": 0, "upper": 12}}}',
    ],
    ids=["JSON", "YAML", "a name"],
)
def test_a_file_of_metadata_is_read_without_them(
    browser: Client, upload: Upload, content: bytes
) -> None:
    """Both formats can spell them, the one and the other in ASCII alone."""
    where = reverse("datasets:import_columns", args=[upload.pk])
    answer = browser.post(where, {"file": SimpleUploadedFile("columns.json", content)})
    assert answer.status_code == 302
    kept = services.draft_of(upload)
    assert (kept["column-0-lower"], kept["column-0-upper"]) == ("0", "12")
    assert browser.get(answer.headers["Location"]).status_code == 200


def test_names_that_differ_by_them_alone_are_repeated(browser: Client, upload: Upload) -> None:
    where = reverse("datasets:import_columns", args=[upload.pk])
    content = rb'{"columns": {"age": {"type": "int"}, "age\u0000": {"type": "string"}}}'
    answer = browser.post(where, {"file": SimpleUploadedFile("columns.json", content)})
    assert answer.status_code == 422
    assert "stands there twice" in answer.text
