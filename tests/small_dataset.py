"""A small registered dataset with a real data file, for tests that need something to ask about.

200 invented rows: age and hours (numbers), sex and education (categories). Each tenant has other
people: the same ones in two tenants would be held for a compliance check.
"""

import hashlib

from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import receive_upload, register_dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit
from dpgov.tenants.models import Membership
from tests.read_once import files_are_read_once

SEXES = ("Female", "Male")
EDUCATIONS = ("Primary", "Secondary", "Tertiary")
ROWS = tuple(
    (row * 7 % 83, row * 11 % 61, SEXES[row % 2], EDUCATIONS[row % 3]) for row in range(200)
)
COLUMNS = (
    column_spec("age", numeric_domain("0", "100", "1"), MissingRule.DROP, ""),
    column_spec("hours", numeric_domain("0", "80", "1"), MissingRule.DROP, ""),
    column_spec("sex", category_domain(SEXES), MissingRule.DROP, ""),
    column_spec("education", category_domain(EDUCATIONS), MissingRule.DROP, ""),
)


def rows_of(tenant: str) -> tuple[tuple[int, int, str, str], ...]:
    """The people of this tenant, by its slug; ROWS are those of the cast's own."""
    if tenant == "harbour":
        return ROWS
    return tuple(_invented(f"{tenant} {row}") for row in range(len(ROWS)))


def _invented(seed: str) -> tuple[int, int, str, str]:
    a, b, c, d = hashlib.sha256(seed.encode()).digest()[:4]
    return a % 83, b % 61, SEXES[c % 2], EDUCATIONS[d % 3]


def csv_of(tenant: str) -> str:
    """Their file."""
    rows = (",".join(map(str, row)) for row in rows_of(tenant))
    return "\n".join(["age,hours,sex,education", *rows, ""])


CSV = csv_of("harbour")


def register_small_dataset(
    owner: Membership,
    *,
    name: str,
    limit_nano: int = 10 * NANO,
    neighbouring: Neighbouring = Neighbouring.ADD_REMOVE,
    group_size: int = 1,
    currency: Currency = PURE,
) -> Dataset:
    """Upload and register it through the services, as an owner does in the browser."""
    declaration = Declaration(
        name=name,
        description="Invented visits.",
        schema=DatasetSchema(
            columns=COLUMNS,
            unit=PrivacyUnit(),
            neighbouring=neighbouring,
            group_size=group_size,
            max_rows=1000,
            mode=currency.mode,
        ),
        delta=currency.delta,
        limit_nano=limit_nano,
        per_query_limit_nano=min(limit_nano, 2 * NANO),
    )
    with files_are_read_once():
        upload = receive_upload(
            tenant=owner.tenant,
            uploader=owner.user,
            name="visits.csv",
            chunks=[csv_of(owner.tenant.slug).encode()],
        )
        return register_dataset(
            tenant=owner.tenant, owner=owner.user, upload=upload, declaration=declaration
        ).dataset
