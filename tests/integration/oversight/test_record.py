"""The public record: everything declared is in it, and the registry's schema takes it."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest
import yaml
from django.test import Client
from jsonschema import Draft202012Validator

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.oversight.record.record import (
    DeploymentFacts,
    RecordOutsideSchema,
    record_yaml,
    registry_schema,
)
from dpgov.privacy.accounting.loss import PURE, Currency, Mode
from dpgov.tenants.models import Membership
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
TYPED = {
    "curators": "Harbour Statistics Office\n\nMinistry of Health",
    "intended_use": "Planning: of clinics",
    "region": "Norway",
    "sector": "Government",
    "published": "2026-11-01",
    "authors": "Oscar",
}
VALUE = DeploymentFacts(("Office",), "Planning", "Norway", "", date(2026, 11, 1), ("Oscar",))


def test_the_schema_itself_is_one() -> None:
    Draft202012Validator.check_schema(registry_schema())


@pytest.mark.parametrize("currency", ["pure", "zcdp"])
def test_the_record_says_what_is_declared(owner: Membership, currency: str) -> None:
    chosen = PURE if currency == "pure" else Currency(Mode.ZCDP, Decimal("1e-6"))
    dataset = register_small_dataset(owner, name="Visits", currency=chosen)
    text = record_yaml(dataset, current_version(dataset), VALUE)
    record = yaml.safe_load(text)
    deployment = record["deployment"]
    parameters = deployment["privacy_loss"]["privacy_parameters"]
    if currency == "pure":
        assert deployment["dp_variant"]["variant_name"] == "Pure DP"
        assert parameters == {"epsilon": 10.0}
    else:
        assert deployment["dp_variant"]["variant_name"] == "Zero-concentrated DP"
        assert parameters.keys() == {"rho", "delta"}
    assert "sex (one of 2 categories)" in deployment["dp_variant"]["data_domain"]
    assert deployment["basic"]["publication_date"] == "2026-11-01"
    assert record["status"] == "Draft"


def test_a_record_that_the_registry_would_refuse_is_not_handed_out(dataset: Dataset) -> None:
    wrong = DeploymentFacts(
        ("Office",), "Planning", "Norway", "Fishing", date(2026, 11, 1), ("Oscar",)
    )
    with pytest.raises(RecordOutsideSchema, match="Fishing"):
        record_yaml(dataset, current_version(dataset), wrong)


def test_the_page_shows_the_record_and_gives_it_as_a_file(
    dataset: Dataset, officer: Membership, client_for: ClientFor
) -> None:
    browser = client_for(officer)
    address = f"/datasets/{dataset.slug}/record/"
    assert browser.get(address).context["form"].initial["curators"] == officer.tenant.name
    assert "data_product_region: Norway" in browser.post(address, TYPED).text
    answer = browser.post(address, TYPED | {"file": "yes"})
    assert answer.headers["Content-Disposition"] == 'attachment; filename="visits.yaml"'
    record = yaml.safe_load(answer.content)
    assert record["deployment"]["basic"]["data_curators"] == [
        "Harbour Statistics Office",
        "Ministry of Health",
    ]
    assert not list(Draft202012Validator(registry_schema()).iter_errors(record))


@pytest.mark.parametrize("missing", ["curators", "intended_use", "region", "published", "authors"])
def test_what_only_people_know_is_asked_for(
    dataset: Dataset, officer: Membership, client_for: ClientFor, missing: str
) -> None:
    answer = client_for(officer).post(
        f"/datasets/{dataset.slug}/record/", TYPED | {missing: " ", "file": "yes"}
    )
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {missing}


def test_what_is_typed_stays_text(
    dataset: Dataset, officer: Membership, client_for: ClientFor
) -> None:
    """J6"""
    hostile = "<script>alert(1)</script>: !!python/object:x {a: 1} # no"
    page = client_for(officer).post(
        f"/datasets/{dataset.slug}/record/", TYPED | {"region": hostile}
    )
    assert "<script>alert" not in page.text
    assert yaml.safe_load(page.context["text"])["deployment"]["basic"]["data_product_region"] == (
        hostile
    )
