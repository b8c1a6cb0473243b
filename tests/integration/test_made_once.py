"""What a fixture made for one test is for the next one as if it had been made for it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import transaction
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.datasets.storage import data_path
from dpgov.tenants.models import Membership, Role, Tenant
from tests.cast import join
from tests.made_once import SoFar
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db

Rows = dict[str, list[tuple[Any, ...]]]


def all_rows() -> Rows:
    """Of every table."""
    tables = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    return {
        name: sorted(model._default_manager.values_list(), key=repr)
        for name, model in tables.items()
    }


def harbour() -> Tenant:
    return Tenant.objects.create(slug="harbour", name="Harbour Statistics Office")


@pytest.fixture
def of_a_test() -> Callable[[], Any]:
    """`with of_a_test() as have:` is a test of its own, whose rows are gone afterwards."""
    module = uuid4()

    @contextmanager
    def within() -> Iterator[Callable[..., Any]]:
        with transaction.atomic():
            so_far = SoFar((module,))

            def have(name: str, make: Callable[[], Any]) -> Any:
                assert so_far.is_as_fixtures_left_it()
                value = so_far.have((name,), make)
                so_far.steps.append((name,))
                return value

            yield have
            transaction.set_rollback(True)

    return within


def owners_dataset(have: Callable[..., Any]) -> tuple[Tenant, Membership, Dataset]:
    tenant = have("tenant", harbour)
    owner = have("owner", lambda: join(tenant, Role.OWNER, "olga"))
    return tenant, owner, have("dataset", lambda: register_small_dataset(owner, name="Visits"))


def test_the_next_test_has_the_same_rows_and_files_and_nothing_runs_again(
    of_a_test: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with of_a_test() as have:
        _, _, dataset = owners_dataset(have)
        rows, file = all_rows(), data_path(dataset.versions.get().pk)
        stored = file.read_bytes()
        file.unlink()
    assert not Tenant.objects.exists()
    monkeypatch.setattr(f"{__name__}.register_small_dataset", None)
    with of_a_test() as have:
        owners_dataset(have)
        assert all_rows() == rows
        assert file.read_bytes() == stored


def test_values_are_shared_as_they_were_and_a_test_changes_its_own_alone(
    of_a_test: Callable[[], Any],
) -> None:
    with of_a_test() as have:
        first, owner, dataset = owners_dataset(have)
        shares = owner.tenant is first, dataset.tenant is first
        first.name = "changed by a test"
    with of_a_test() as have:
        second, owner, dataset = owners_dataset(have)
        assert (owner.tenant is second, dataset.tenant is second) == shares
        assert second.name == "Harbour Statistics Office"
        assert (second.pk, owner.pk, dataset.pk) == (first.pk, owner.pk, dataset.pk)
        assert second is not first


def test_what_a_fixture_changes_of_an_earlier_one_it_changes_for_the_next_test_too(
    of_a_test: Callable[[], Any],
) -> None:
    """Signing in dates the account."""

    def sign_in(person: Membership) -> Client:
        browser = Client()
        browser.force_login(person.user)
        return browser

    seen = []
    for _ in range(2):
        with of_a_test() as have:
            _, owner, _ = owners_dataset(have)
            browser = have("browser", lambda person=owner: sign_in(person))
            assert browser.get("/").status_code == 200
            seen.append(owner.user.last_login)
    assert seen[0] is not None
    assert seen[0] == seen[1]


def test_where_the_database_gives_other_numbers_the_fixture_runs(
    of_a_test: Callable[[], Any],
) -> None:
    """And where another row is in the way."""
    made: list[Tenant] = []

    def make() -> Tenant:
        made.append(harbour())
        join(made[-1], Role.OWNER, "olga")
        return made[-1]

    for count in (1, 1):
        with of_a_test() as have:
            have("tenant", make)
            assert len(made) == count
    join(Tenant.objects.create(slug="elsewhere", name="Elsewhere"), Role.OWNER, "sven")
    with of_a_test() as have:
        assert have("tenant", make) is made[1]
        owners = Membership.objects.values_list("tenant__slug", flat=True)
        assert sorted(owners) == ["elsewhere", "harbour"]


def test_what_others_wrote_in_between_is_not_taken_for_a_fixture_s(
    of_a_test: Callable[[], Any],
) -> None:
    with transaction.atomic():
        so_far = SoFar((uuid4(),))
        assert so_far.is_as_fixtures_left_it()
        harbour()
        assert not so_far.is_as_fixtures_left_it()
        transaction.set_rollback(True)


def test_a_fixture_that_puts_rows_into_what_another_gave_runs_each_time(
    of_a_test: Callable[[], Any],
) -> None:
    """The copies of the other one would not have them."""
    made: list[Tenant] = []

    def put_into(people: dict[str, Tenant]) -> None:
        made.append(harbour())
        people["harbour"] = made[-1]

    for count in (1, 2):
        with of_a_test() as have:
            people: dict[str, Tenant] = have("people", dict)
            have("harbour", lambda into=people: put_into(into))
            assert len(made) == count
            assert people == {"harbour": made[-1]}
