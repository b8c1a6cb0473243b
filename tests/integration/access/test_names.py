"""H8: names are unique within a tenant only, and tell nothing across tenants."""

import pytest

from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.access.world import World
from tests.integration.datasets.registering import register, uploaded

pytestmark = pytest.mark.django_db


def test_two_tenants_may_give_the_same_name(world: World) -> None:
    """H8: the second registration must not fail, which would tell of the first."""
    for actor in ("owner", "stranger"):
        browser = world.browser(actor)
        # Other numbers of people: the same file twice is another matter.
        content = b"age,sex,city\n30,f,Basel\n" + b"31,m,Bern\n" * len(actor)
        answer = register(browser, uploaded(browser, content), name="People")
        assert answer.status_code == 302, answer.content.decode()
    found = Dataset.objects.filter(slug="people")
    assert {dataset.tenant.slug for dataset in found} == {"harbour", "elsewhere"}


def test_a_taken_name_in_another_tenant_changes_no_byte_of_the_answer(world: World) -> None:
    """H8: quoting, asking and reading a foreign name is reading a missing one."""
    api = world.api("analyst")
    foreign = api.get(f"/api/v1/datasets/{world.foreign['slug']}/")
    missing = api.get("/api/v1/datasets/no-such-name/")
    assert (foreign.status_code, foreign.content) == (404, missing.content)


def test_names_of_tokens_are_each_person_s_own(world: World) -> None:
    """H8: a colleague's token of the same name is no obstacle and so no news."""
    member: Membership = join(world.people["analyst"].tenant, Role.ANALYST, "carl")
    world.people["carl"] = member
    assert world.browser("analyst").post("/tokens/", {"name": "same"}).status_code == 200
    assert world.browser("carl").post("/tokens/", {"name": "same"}).status_code == 200
