"""The people of the demonstration: fixed addresses, one password made for each state folder.

Must never run where real people sign in; the command asks for a database of its own.
"""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import AnonymousUser

from dpgov.tenants.boundary import acting_as, acting_for
from dpgov.tenants.crossing import belongs_somewhere
from dpgov.tenants.invitations import invite_as_operator
from dpgov.tenants.joining import accept
from dpgov.tenants.models import Membership, Role, User
from dpgov.tenants.services import create_tenant

TENANT = "Harbour Statistics Office"
ELSEWHERE = "Elsewhere Institute"
RIVER = "Riverside Hospital"
_DOMAIN = "example.org"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody to sign in as."""

    address: str
    name: str
    role: Role
    tenant: str

    @property
    def email(self) -> str:
        """The address to sign in with."""
        return f"{self.address}@{_DOMAIN}"


ADMIN = Person("admin", "Adam Administrator", Role.ADMIN, TENANT)
OWNER = Person("owner", "Olga Owner", Role.OWNER, TENANT)
ANALYST = Person("analyst", "Anna Analyst", Role.ANALYST, TENANT)
OFFICER = Person("officer", "Oscar Officer", Role.OFFICER, TENANT)
STRANGER_ADMIN = Person("elsewhere-admin", "Erik Administrator", Role.ADMIN, ELSEWHERE)
STRANGER = Person("stranger", "Sven Stranger", Role.OWNER, ELSEWHERE)
EVERYBODY = (ADMIN, OWNER, ANALYST, OFFICER, STRANGER_ADMIN, STRANGER)
# Of the 90 days alone.
BELA = Person("bela", "Béla Balog", Role.ANALYST, TENANT)
CHEN = Person("chen", "Chen Cui", Role.ANALYST, TENANT)
DORA = Person("dora", "Dora Dahl", Role.ANALYST, TENANT)
STRANGER_OFFICER = Person("elsewhere-officer", "Ella Officer", Role.OFFICER, ELSEWHERE)
# They come late, for the question of three organisations.
RIVER_ADMIN = Person("riverside-admin", "Rita Administrator", Role.ADMIN, RIVER)
RIVER_OWNER = Person("riverside-owner", "Ruth Owner", Role.OWNER, RIVER)
RIVER_OFFICER = Person("riverside-officer", "Ravi Officer", Role.OFFICER, RIVER)
RIVERSIDE = (RIVER_ADMIN, RIVER_OWNER, RIVER_OFFICER)
EVERYBODY_OF_THE_PAST = (*EVERYBODY, BELA, CHEN, DORA, STRANGER_OFFICER)
_ADMINS = {TENANT: ADMIN, ELSEWHERE: STRANGER_ADMIN, RIVER: RIVER_ADMIN}


def ensure_people(wanted: tuple[Person, ...], password: str) -> None:
    """Create whoever is missing, as whoever runs an installation would; safe to repeat."""
    for person in wanted:
        user = User.objects.filter(email=person.email).first()
        if user is None or not belongs_somewhere(user.pk):
            _join(person, password)


def known() -> tuple[Person, ...]:
    """Who is there."""
    there = set(User.objects.values_list("email", flat=True))
    return tuple(person for person in (*EVERYBODY_OF_THE_PAST, *RIVERSIDE) if person.email in there)


def membership_of(person: Person) -> Membership:
    """This person's membership, after `ensure_people`."""
    user = User.objects.get(email=person.email)
    with acting_as(user.pk):
        return Membership.objects.select_related("tenant", "user").get(user=user)


def _join(person: Person, password: str) -> None:
    if person.role == Role.ADMIN:
        tenant = create_tenant(name=person.tenant)
    else:
        tenant = membership_of(_ADMINS[person.tenant]).tenant
    with acting_for(tenant.id):
        _, token = invite_as_operator(tenant=tenant, email=person.email, role=person.role)
    accept(token=token, person=AnonymousUser(), name=person.name, password=password)


def password_in(home: Path) -> str:
    """The password of everybody in this state folder; made and stored for its owner at first."""
    path = home / "demo_password"
    if not path.exists():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(9))
    return path.read_text()
