"""The frame that every page has: landmarks, the error pages, and no way round the CSP."""

import re
from collections.abc import Callable
from urllib.parse import urljoin

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership
from tests.integration.dashboards.reading import page

ClientFor = Callable[[Membership], Client]


@pytest.mark.parametrize(
    "path",
    ["account_login", "account_reset_password", "account_reset_password_done"],
)
@pytest.mark.django_db
def test_pages_before_signing_in_have_language_and_landmarks(path: str) -> None:
    html = page(Client(), reverse(path))
    assert '<html lang="en-gb">' in html
    assert html.count("<main ") == html.count("<h1") == 1
    assert 'href="#main">Skip to the content' in html


@pytest.mark.parametrize("path", ["account_logout", "account_set_password", "mfa_index"])
def test_account_pages_have_the_frame_of_the_product(
    path: str, analyst: Membership, client_for: ClientFor
) -> None:
    html = page(client_for(analyst), reverse(path))
    assert "Harbour Statistics Office" in html
    assert html.count("<main ") == html.count("<h1") == 1


def test_the_styles_that_plotly_adds_carry_this_answers_nonce(
    dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    response = client_for(analyst).get(reverse("dashboards:budget", args=[dataset.slug]))
    policy = response["Content-Security-Policy"]
    nonce = policy.split("'nonce-")[1].split("'")[0]
    assert f'<style id="plotly.js-style-global" nonce="{nonce}"></style>' in response.text
    assert "unsafe" not in policy


def test_a_wrong_address_leads_back(analyst: Membership, client_for: ClientFor) -> None:
    response = client_for(analyst).get("/nowhere/")
    assert response.status_code == 404
    assert "There is nothing here" in response.text
    assert "Go to Home" in response.text


def test_an_address_that_takes_forms_alone_leads_to_the_page_above_it(
    dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    browser = client_for(analyst)
    response = browser.get(reverse("queries:reuse", args=[dataset.slug]))
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")
    assert "There is no page at this address" in response.text
    (way,) = re.findall(r'href="([^"]+)">Go to the page it belongs to</a>', response.text)
    above = urljoin(response.wsgi_request.path, way)
    assert above == reverse("datasets:detail", args=[dataset.slug])
    assert browser.get(above).status_code == 200


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_where_nothing_is_above_an_address_it_leads_home(
    method: str, analyst: Membership, client_for: ClientFor
) -> None:
    address = {"GET": reverse("tenants:language"), "DELETE": reverse("notices:list")}[method]
    response = client_for(analyst).generic(method, address)
    assert response.status_code == 405
    assert ("Go to Home" in response.text, "it belongs to" in response.text) == (True, False)


def test_a_refused_role_is_told_why(analyst: Membership, client_for: ClientFor) -> None:
    response = client_for(analyst).get(reverse("oversight:audit_log"))
    assert response.status_code == 403
    assert "Your role does not let you read and verify the audit log." in response.text


def test_a_form_of_another_session_changes_nothing_and_says_so(analyst: Membership) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(analyst.user)
    response = client.post(reverse("account_logout"))
    assert response.status_code == 403
    assert "Nothing was changed" in response.text
    assert client.get(reverse("dashboards:home")).status_code == 200


@pytest.mark.django_db
def test_an_unreadable_request_has_a_page() -> None:
    response = Client(headers={"host": "evil.example"}).get("/account/login/")
    assert response.status_code == 400
    assert "could not be read" in response.text


def test_a_fault_of_ours_has_a_page_that_needs_nothing() -> None:
    html = render_to_string("500.html")
    assert "Something went wrong on our side" in html
    assert "<script>" not in html


@pytest.mark.parametrize("name", ["dashboards:budget", "explain:group_privacy"])
def test_pages_of_a_dataset_mark_their_tab_and_their_section(
    name: str, dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    path = reverse(name, args=[dataset.slug])
    html = " ".join(page(client_for(analyst), path).split())
    assert f'<a class="nav-link active" href="{path}" aria-current="page">' in html
    assert '<a class="nav-link active" href="/datasets/">Datasets' in html
    crumbs = '<a href="/datasets/">All datasets</a> <span aria-hidden="true">/</span> {}'
    named = f'<a href="/datasets/{dataset.slug}/">{dataset.name}</a>'
    assert crumbs.format(named) in html


@pytest.mark.parametrize(
    "name", ["rename", "audience", "policy", "terms", "pause", "retention", "archive", "versions"]
)
def test_what_the_settings_lead_to_stands_under_their_tab(
    name: str, dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    html = " ".join(
        page(client_for(owner), reverse(f"datasets:{name}", args=[dataset.slug])).split()
    )
    settings = reverse("datasets:settings", args=[dataset.slug])
    assert f'<a class="nav-link active" href="{settings}">' in html
