"""What `made_once` goes by: the numbers of the next rows, and how many rows were written."""

from pathlib import Path

import pytest
from django.db import transaction

from dpgov.tenants.models import Project, ProjectMember, Role, Tenant
from tests.cast import join
from tests.row_numbers import changes, numbers

pytestmark = pytest.mark.django_db


def test_rows_of_the_next_test_have_the_numbers_of_the_first_one() -> None:
    had = []
    for _ in range(3):
        known = numbers(Path("a module"))
        with transaction.atomic():
            tenant = Tenant.objects.create(slug="harbour", name="Harbour Statistics Office")
            project = Project.objects.create(tenant=tenant, name="Ageing")
            people = [join(tenant, Role.ANALYST, name).user for name in ("anna", "arne")]
            placed = [
                ProjectMember.objects.create(tenant=tenant, project=project, user=person)
                for person in people
            ]
            had.append((known, [place.pk for place in placed]))
            transaction.set_rollback(True)
    assert had == [had[0]] * 3
    assert had[0][1][1] == had[0][1][0] + 1


def test_written_rows_are_counted_whoever_wrote_them_and_whatever_became_of_them() -> None:
    counts = [changes()]
    tenant = Tenant.objects.create(slug="harbour", name="Harbour Statistics Office")
    counts.append(changes())
    with transaction.atomic():
        join(tenant, Role.OWNER, "olga")
        transaction.set_rollback(True)
    counts.append(changes())
    assert Tenant.objects.filter(name="Harbour Statistics Office").exists()
    assert changes() == counts[2] > counts[1] > counts[0]
