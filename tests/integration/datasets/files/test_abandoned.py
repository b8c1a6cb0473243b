"""Uploads of people who left: nobody sees them any more, so the sweeper discards them.

What could leak: rows of a file in clear, in the state folder and in every backup, for ever. What
could be lost: the file of somebody who is still there, or one that is being registered.
"""

import pytest
from django.core.management import call_command

from dpgov.audit.models import AuditEntry
from dpgov.datasets import storage
from dpgov.datasets.models import Arrival, Upload
from dpgov.datasets.services import discard_abandoned, receive_upload
from dpgov.tenants.models import Membership, Role
from tests.cast import join

pytestmark = pytest.mark.django_db
TABLE = b"age\n30\n40\n"


def _sent(by: Membership) -> Upload:
    return receive_upload(tenant=by.tenant, uploader=by.user, name="people.csv", chunks=[TABLE])


def test_the_file_of_somebody_who_left_goes_in_the_next_round(owner: Membership) -> None:
    """With one entry; that of somebody who is there stays."""
    second = join(owner.tenant, Role.OWNER, "second")
    left, kept = _sent(second), _sent(owner)
    Membership.objects.filter(pk=second.pk).delete()
    call_command("sweep")
    assert list(Upload.objects.all()) == [kept]
    assert not storage.upload_path(left.pk).exists()
    assert storage.upload_path(kept.pk).exists()
    (entry,) = AuditEntry.objects.filter(action="UPLOAD_DISCARDED")
    assert (entry.actor_id, entry.subject) == ("sweeper", f"upload:{left.pk}")


def test_what_is_being_registered_is_waited_for(owner: Membership) -> None:
    second = join(owner.tenant, Role.OWNER, "second")
    upload = _sent(second)
    waiting = Arrival.objects.create(
        tenant=owner.tenant, upload=upload, asked_by=second.user, declared={}
    )
    Membership.objects.filter(pk=second.pk).delete()
    assert discard_abandoned() == 0
    waiting.state = Arrival.State.REFUSED
    waiting.save()
    assert discard_abandoned() == 1
