"""F11, L1: what was opened once and is archived while it is held is not discarded."""

import pytest

from dpgov.audit.actor import SWEEPER, Actor
from dpgov.datasets.crossing import living_among, parts_of_agreed
from dpgov.datasets.models import Dataset, VersionFingerprint
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import agree, change_new_data_rule, resembling
from dpgov.datasets.services.held.looks import pause
from dpgov.datasets.services.parts import _versions_in
from dpgov.datasets.services.upkeep import archive
from dpgov.operation import clock
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.selectors import actor_of
from tests.cast import join
from tests.integration.datasets import quick
from tests.integration.datasets.held.test_others_rows import INVENTED, NAMES, PEOPLE

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("by_whom", ["its owner", "the sweeper"])
@pytest.mark.parametrize("held_by", ["an officer", "a version that waits"])
def test_what_is_held_meanwhile_is_not_archived(
    owner: Membership, officer: Membership, by_whom: str, held_by: str
) -> None:
    """F11, L1: whoever archives read the dataset before the hold, and looks again."""
    read_before = quick.registered(owner, PEOPLE, NAMES)
    if held_by == "an officer":
        pause(version=current_version(read_before), membership=officer, reason="whose are these?")
    else:
        change_new_data_rule(tenant=owner.tenant, waits=True, user=officer.user)
        quick.version_added(owner, read_before, (*PEOPLE, *INVENTED), NAMES)
    assert read_before.held_at is None
    actor: Actor = actor_of(owner.user) if by_whom == "its owner" else SWEEPER
    with pytest.raises(Dataset.DoesNotExist):
        archive(dataset=read_before, actor=actor)
    assert Dataset.objects.get().archived_at is None


@pytest.fixture(params=[True, False], ids=["opened", "never opened"])
def opened(request: pytest.FixtureRequest, owner: Membership, officer: Membership) -> bool:
    """Whether the one dataset, now archived and held, could be asked about before."""
    was_opened = bool(request.param)
    change_new_data_rule(tenant=owner.tenant, waits=not was_opened, user=officer.user)
    one = quick.registered(owner, PEOPLE, NAMES, "Earlier")
    if was_opened:
        pause(version=current_version(one), membership=officer, reason="whose are these?")
    Dataset.objects.filter(pk=one.pk).update(archived_at=clock.now())
    change_new_data_rule(tenant=owner.tenant, waits=False, user=officer.user)
    return was_opened


def test_its_owner_s_same_file_has_no_unspent_budget_at_once(
    owner: Membership, opened: bool
) -> None:
    """F11: it waits for two persons, unless nobody could ever ask about the earlier one."""
    again = quick.registered(owner, PEOPLE, NAMES, "Again")
    assert (again.opened_at is None) is opened
    assert (again.held_reason == Dataset.HeldReason.LIKE_EARLIER_DATA) is opened


def test_officers_see_what_a_colleague_s_data_resembles(
    owner: Membership, officer: Membership, opened: bool
) -> None:
    """L1: those of the organisation, and those of another one that agreed."""
    colleague = join(owner.tenant, Role.OWNER, "otto")
    new = quick.registered(colleague, PEOPLE, NAMES, "New")
    own = resembling(current_version(new), seen_by=officer).own
    assert [dataset.name for dataset, _ in own] == (["Earlier"] if opened else [])


def test_officers_of_another_organisation_see_it_as_well(
    owner: Membership, officer: Membership, stranger: Membership, opened: bool
) -> None:
    """L1: the function of the database says the same."""
    there = join(stranger.tenant, Role.OFFICER, "olga")
    agree(tenant=owner.tenant, other=stranger.tenant.slug, user=officer.user)
    agree(tenant=stranger.tenant, other=owner.tenant.slug, user=there.user)
    whole = VersionFingerprint.objects.get().whole
    with acting_for(stranger.tenant_id):
        found = parts_of_agreed(stranger.tenant_id, whole, [])
    assert {part.organisation for part in found} == ({owner.tenant.slug} if opened else set())


def test_its_file_is_there_and_says_in_which_part_each_person_is(
    owner: Membership, opened: bool
) -> None:
    """F5: of the versions that entered the budget; the others' files may go."""
    version = current_version(Dataset.objects.get())
    kept = [version] if opened else []
    assert _versions_in(version.dataset.budget_id) == kept
    assert living_among([version.pk]) == {each.pk for each in kept}
