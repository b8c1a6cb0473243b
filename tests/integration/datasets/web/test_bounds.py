"""What bounds cost while they are declared: of what is typed and of invented rows, of no file."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Draft, Upload
from tests.integration.datasets.registering import CSV, declared, uploaded

pytestmark = pytest.mark.django_db
BOX = {"HX-Request": "true"}
TYPED = {
    "column": "age",
    "lower": "0",
    "upper": "110",
    "step": "1",
    "other_lower": "0",
    "other_upper": "300",
    "epsilon": "0.1",
}


def plain(page: Any) -> str:
    text = re.sub(r'(csrfmiddlewaretoken" value|nonce)="[^"]*"', "", page.content.decode())
    return " ".join(text.split())


def now(browser: Client, **typed: str) -> str:
    page = browser.get(reverse("datasets:bounds_now"), TYPED | typed)
    assert page.status_code == 200
    return plain(page)


def test_both_pairs_are_priced_side_by_side(browser: Client) -> None:
    said = now(browser)
    assert '<th scope="col" class="number">0 to 110</th>' in said
    assert '<th scope="col" class="number">0 to 300</th>' in said
    # of a mean of a thousand rows: the wider pair is wrong by 300/110 of the narrower one
    assert '<td class="number">± 3.21</td><td class="number">± 8.73</td>' in said.replace(
        "> <", "><"
    )
    assert "8.08% clipped, mean moves by 3.20" in said
    assert "bounds-cost-figure" in said


def test_the_row_of_the_grid_is_what_is_priced_first(browser: Client) -> None:
    """The largest question that was typed is the ε, and the other pair is twice as wide."""
    sent = declared(age__upper="110") | {"bounds": "column-0 age"}
    page = browser.post(reverse("datasets:bounds"), sent)
    form = page.context["form"]
    asked = [form[name].value() for name in ("lower", "upper", "other_upper", "epsilon")]
    assert asked == ["0", "110", "220", "1"]
    sent = declared(epsilon_per_query="") | {"bounds": "column-0 age"}
    form = browser.post(reverse("datasets:bounds"), sent).context["form"]
    assert form["epsilon"].value() == "0.15"


def test_nothing_that_was_typed_is_kept_or_logged(browser: Client, upload: Upload) -> None:
    entries = AuditEntry.objects.count()
    browser.post(reverse("datasets:bounds"), declared() | {"bounds": "column-0 age"})
    assert not Draft.objects.exists()
    assert AuditEntry.objects.count() == entries


def test_whatever_the_file_holds_the_price_is_the_same(browser: Client) -> None:
    """I8: files of other values, and one that is gone, give the same box to the byte."""
    beyond = b"age,sex,city\n250,f,Basel\n299,m,Bern\n300,x,\n280,f,Basel\n290,f,Bern\n"
    chosen = [uploaded(browser, content) for content in (CSV, beyond, CSV)]
    browser.post(reverse("datasets:discard", args=[chosen[2].pk]))
    row = declared() | {"bounds": "column-0 age"}
    address = reverse("datasets:bounds")
    found = {
        plain(browser.get(address, row | {"upload": str(file.pk)}, headers=BOX)) for file in chosen
    }
    assert len(found) == 1
    assert "± " in found.pop()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"other_upper": "0"}, "The upper bound must be above the lower bound."),
        ({"other_lower": "0.5"}, "The lower bound must be a whole multiple of the step 1."),
        ({"other_upper": "many"}, "plain decimal number"),
        ({"epsilon": "0"}, "above zero"),
        ({"upper": ""}, "This field is required."),
    ],
)
def test_what_cannot_be_priced_is_said(browser: Client, typed: dict[str, str], said: str) -> None:
    assert said in now(browser, **typed)


def test_an_empty_row_is_told_what_to_fill_in_first(browser: Client) -> None:
    sent = declared(age__upper="") | {"bounds": "column-0 age"}
    page = browser.get(reverse("datasets:bounds"), sent, headers=BOX)
    assert "Fill in from, to and step of this column first." in page.content.decode()


def test_an_error_as_wide_as_the_bounds_says_nothing(browser: Client) -> None:
    assert "says nothing" in now(browser, epsilon="0.0001")


def test_a_public_number_of_rows_and_no_missing_value_make_a_mean_exacter(
    browser: Client,
) -> None:
    said = now(browser, neighbouring="change_one", missing="require")
    assert "± 3.30" in said
    assert "± 3.30" not in now(browser, neighbouring="change_one", missing="drop")
