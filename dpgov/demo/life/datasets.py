"""How the invented tables are declared and registered: as their owners would, without looking."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date as Day  # noqa: N812

from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import receive_upload, register_dataset
from dpgov.demo.life import tables
from dpgov.demo.people import OWNER, STRANGER, Person, membership_of
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.domains import (
    category_domain,
    column_spec,
    date_domain,
    numeric_domain,
)
from dpgov.privacy.plan.schema import (
    ColumnSpec,
    DatasetSchema,
    MissingRule,
    Neighbouring,
    PrivacyUnit,
)
from dpgov.tenants.boundary import acting_for


@dataclass(frozen=True, slots=True)
class DemoTable:
    """A file, whose it is and how it is declared."""

    owner: Person
    file: str
    csv: Callable[[], bytes]
    declaration: Declaration

    def register(self) -> Dataset:
        """Upload and register it through the services of every other file."""
        owner = membership_of(self.owner)
        with acting_for(owner.tenant_id):
            upload = receive_upload(
                tenant=owner.tenant, uploader=owner.user, name=self.file, chunks=[self.csv()]
            )
            return register_dataset(
                tenant=owner.tenant, owner=owner.user, upload=upload, declaration=self.declaration
            ).dataset


def number(name: str, lower: str, upper: str, step: str = "1") -> ColumnSpec:
    """A column of numbers; rows without one do not count."""
    return column_spec(name, numeric_domain(lower, upper, step), MissingRule.DROP, "")


def date(name: str, first: Day, last: Day) -> ColumnSpec:
    """A column of days; rows without one do not count."""
    domain = date_domain(first.isoformat(), last.isoformat(), "day")
    return column_spec(name, domain, MissingRule.DROP, "")


def category(name: str, categories: Sequence[str]) -> ColumnSpec:
    """A column of categories; rows without one do not count."""
    return column_spec(name, category_domain(categories), MissingRule.DROP, "")


def declared(
    name: str,
    description: str,
    columns: tuple[ColumnSpec, ...],
    *,
    unit: PrivacyUnit,
    rows: int,
    limit_nano: int,
    question_nano: int = NANO,
) -> Declaration:
    """About rows that come and go one by one."""
    schema = DatasetSchema(
        columns=columns,
        unit=unit,
        neighbouring=Neighbouring.ADD_REMOVE,
        group_size=1,
        max_rows=100_000,
        public_rows=rows,
    )
    return Declaration(name, description, schema, limit_nano, question_nano)


STAYS = DemoTable(
    OWNER,
    "hospital-stays.csv",
    tables.hospital_stays,
    declared(
        "Hospital stays",
        "Invented. A line for each stay in the harbour hospital, 2023 to 2025; patients come back.",
        (
            date("admitted", tables.FIRST_DAY, tables.LAST_DAY),
            category("ward", tables.WARDS),
            category("admission", tables.ADMISSIONS),
            number("age", "0", "110"),
            number("days", "1", "60"),
            number("cost", "0", "20000", "10"),
        ),
        unit=PrivacyUnit("patient", tables.MOST_STAYS),
        rows=5_000,
        limit_nano=16 * NANO,
    ),
)
STAYS_AGAIN = replace(
    STAYS,
    file="hospital-stays-2025.csv",
    csv=tables.hospital_stays_again,
    declaration=replace(STAYS.declaration, name="Hospital stays, second delivery"),
)
SURVEY = DemoTable(
    OWNER,
    "health-survey.csv",
    tables.health_survey,
    declared(
        "Health survey",
        "Invented. Residents of the five districts about their health, asked once each.",
        (
            number("age", "18", "100"),
            category("district", tables.DISTRICTS),
            category("health", tables.HEALTH),
            category("smokes", tables.YES_NO),
            number("visits", "0", "40"),
            number("sleep", "3", "12"),
        ),
        unit=PrivacyUnit(),
        rows=4_000,
        limit_nano=4 * NANO,
    ),
)
REGISTER = DemoTable(
    STRANGER,
    "vaccinations.csv",
    tables.vaccinations,
    declared(
        "Vaccination register",
        "Invented. Residents of the same five districts, kept by another organisation.",
        (
            number("birth_year", "1920", "2025"),
            category("district", tables.DISTRICTS),
            category("vaccine", tables.VACCINES),
            number("doses", "1", "6"),
        ),
        unit=PrivacyUnit(),
        rows=3_000,
        limit_nano=3 * NANO,
    ),
)
