"""L12: a worker of joint answers without the recorded file promises nothing.

What would be lost: once all keys are there everybody pays, so that one organisation whose file is
missing, or another one, would cost all of them an answer that never comes, or one of other rows.
"""

import shutil
from pathlib import Path

import pytest

from dpgov.datasets import storage
from dpgov.datasets.selectors import current_version
from dpgov.joint.models import Party
from dpgov.joint.services import joint_round
from dpgov.tenants.boundary import acting_for
from tests.integration.joint.made import PRICE, Side, all_joined, look

pytestmark = pytest.mark.django_db


def place_of(side: Side) -> Path:
    with acting_for(side.tenant.pk):
        return storage.data_path(current_version(side.dataset).pk)


@pytest.mark.parametrize("lies_there", ["nothing", "cut short", "another's"])
def test_no_key_is_sent_without_the_recorded_file(
    sides: list[Side], lies_there: str, tmp_path: Path
) -> None:
    """L12: nothing is opened, and it goes on once the file is put back."""
    question = all_joined(sides)
    place, kept = place_of(sides[0]), tmp_path / "kept"
    shutil.move(place, kept)
    if lies_there == "cut short":
        place.write_bytes(kept.read_bytes()[:-4096])
    if lies_there == "another's":
        shutil.copy(place_of(sides[1]), place)
    look(sides)
    joint_round()
    question.refresh_from_db()
    keys = dict(Party.objects.values_list("tenant__slug", "public_key"))
    assert [slug for slug, key in keys.items() if not key] == [sides[0].tenant.slug]
    assert question.opened_at is None
    assert {side.spent for side in sides} == {(0, PRICE)}
    place.unlink(missing_ok=True)
    shutil.move(kept, place)
    look(sides)
    joint_round()
    question.refresh_from_db()
    assert question.opened_at is not None


def test_no_share_is_drawn_from_another_file(sides: list[Side]) -> None:
    """L12: one that came in its place after the key went out."""
    all_joined(sides)
    look(sides)
    joint_round()
    shutil.copy(place_of(sides[1]), place_of(sides[0]))
    look(sides)
    sent = Party.objects.filter(share__isnull=False).values_list("tenant__slug", flat=True)
    assert set(sent) == {side.tenant.slug for side in sides[1:]}
