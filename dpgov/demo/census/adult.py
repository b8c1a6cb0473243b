"""The Adult census extract as a registered dataset, for `manage.py demo` and the tests.

The declarations come from the published description of the questionnaire, not from the rows.
"""

import gzip
from collections.abc import Iterator
from pathlib import Path

from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import every_dataset_of
from dpgov.datasets.services import receive_upload, register_dataset
from dpgov.demo.census import adult_categories as lists
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.schema import (
    ColumnSpec,
    DatasetSchema,
    MissingRule,
    Neighbouring,
    PrivacyUnit,
)
from dpgov.tenants.models import Membership, Tenant, User

FILE = Path(__file__).with_name("adult.csv.gz")
NAME = "Adult census income"
DESCRIPTION = (
    "Adults in the 1994 US census: age, education, work, hours, family and whether they earn "
    "more than 50,000 dollars a year. Barry Becker and Ronny Kohavi, UCI Machine Learning "
    "Repository, CC BY 4.0."
)
_CHUNK = 1 << 20


def register(*, tenant: Tenant, owner: User) -> Dataset:
    """Upload and register the file through the same services as any other."""
    upload = receive_upload(tenant=tenant, uploader=owner, name="adult.csv", chunks=_chunks())
    return register_dataset(
        tenant=tenant, owner=owner, upload=upload, declaration=declaration()
    ).dataset


def ensure_adult(owner: Membership) -> Dataset:
    """The demonstration dataset of this owner's tenant, registered if it is not there yet."""
    return of(owner.tenant) or register(tenant=owner.tenant, owner=owner.user)


def of(tenant: Tenant) -> Dataset | None:
    """The demonstration dataset of this tenant; None before it is registered."""
    found: Dataset | None = every_dataset_of(tenant.pk).filter(name=NAME).first()
    return found


def declaration() -> Declaration:
    """ε 10 in all and at most ε 2 for one question, for each single row."""
    return Declaration(
        name=NAME,
        description=DESCRIPTION,
        schema=DatasetSchema(
            columns=columns(),
            unit=PrivacyUnit(),
            neighbouring=Neighbouring.ADD_REMOVE,
            group_size=1,
            max_rows=1_000_000,
            public_rows=50_000,
        ),
        limit_nano=10 * NANO,
        per_query_limit_nano=2 * NANO,
    )


def columns() -> tuple[ColumnSpec, ...]:
    """Every column but the sampling weight, which nobody should ask about."""
    return (
        _number("age", "16", "100"),
        _category("workclass", lists.WORKCLASS),
        _category("education", lists.EDUCATION),
        _number("education_num", "1", "16"),
        _category("marital_status", lists.MARITAL_STATUS),
        _category("occupation", lists.OCCUPATION),
        _category("relationship", lists.RELATIONSHIP),
        _category("race", lists.RACE),
        _category("sex", lists.SEX),
        _number("capital_gain", "0", "100000"),
        _number("capital_loss", "0", "5000"),
        _number("hours_per_week", "0", "99"),
        _category("native_country", lists.NATIVE_COUNTRY),
        _category("income", lists.INCOME),
    )


def _number(name: str, lower: str, upper: str) -> ColumnSpec:
    return column_spec(name, numeric_domain(lower, upper, "1"), MissingRule.DROP, "")


def _category(name: str, categories: tuple[str, ...]) -> ColumnSpec:
    return column_spec(name, category_domain(categories), MissingRule.DROP, "")


def _chunks() -> Iterator[bytes]:
    with gzip.open(FILE) as file:
        while chunk := file.read(_CHUNK):
            yield chunk
