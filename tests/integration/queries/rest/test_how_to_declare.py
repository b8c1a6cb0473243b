"""D9: the file, the metadata and the program of docs/how-to/declare-computed.md, as they stand."""

import re
from collections.abc import Callable

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from dpgov.datasets.services import draft_of
from dpgov.tenants.models import Membership
from tests.eager import arrived
from tests.house.tree import ROOT
from tests.integration.datasets.registering import declared, uploaded
from tests.integration.queries.rest.conftest import RunPage

PAGE = ROOT / "docs/how-to/declare-computed.md"


def test_the_metadata_of_the_page_declares_columns_that_its_program_asks_for(
    owner: Membership, client_for: Callable[[Membership], Client], run_page: RunPage
) -> None:
    browser = client_for(owner)
    rows, metadata = re.findall(r"^```csv\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    upload = uploaded(browser, rows.encode())
    posted = {"file": SimpleUploadedFile("columns.csv", metadata.encode())}
    browser.post(reverse("datasets:import_columns", args=[upload.pk]), posted)
    typed = {key: text for key, text in declared(name="Visits").items() if "column-" not in key}
    address = reverse("datasets:register", args=[upload.pk])
    page = arrived(browser, browser.post(address, {**draft_of(upload), **typed}))
    assert page.status_code == 302, page.content.decode()
    said = run_page(PAGE)
    assert "stay is the difference of discharged and admitted" in said
    assert "cost is the product of nights and price" in said
    assert "price of a night is the ratio of price and nights" in said
    assert "age group is the bins of age" in said
    assert "adult is the flag of age" in said
    assert re.findall(r"mean stay, (\S+) -?\d", said) == ["0-17", "18-64", "65-120", "other"]
    assert said.count("days, within [-364, 395]") == 4
