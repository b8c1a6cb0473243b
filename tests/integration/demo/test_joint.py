"""M49: the demonstration's three organisations answer a question together, in its past and today.

What could leak: a worker that holds another organisation's key, because one process serves all.
"""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from dpgov.audit.recheck import recheck_all
from dpgov.demo import past
from dpgov.demo.life.joint import answer_together, workers
from dpgov.demo.people import EVERYBODY_OF_THE_PAST, ensure_people
from dpgov.demo.processes import commands
from dpgov.joint.models import Party
from dpgov.operation.moving import from_moment
from dpgov.queries.models import Query
from dpgov.tenants.models import Tenant


@pytest.mark.embedded
@pytest.mark.django_db(transaction=True)
def test_three_organisations_of_the_past_have_one_total(tmp_path: Path, settings: Any) -> None:
    """M49: released to each, in logs that prove themselves; where a clock can be moved."""
    settings.DPGOV_HOME, settings.DPGOV_JOINT_KEYS = tmp_path, tmp_path / "keys"
    assert workers() == ()
    assert past.begin()
    with from_moment(timezone.now() - timedelta(days=9)):
        ensure_people(EVERYBODY_OF_THE_PAST, "a password of theirs")
        answer_together("a password of theirs")
    states = Query.objects.filter(pk__in=Party.objects.values("query")).values_list("state")
    assert list(states) == [(Query.State.RELEASED,)] * 3
    assert len(workers()) == 3
    assert len(list((tmp_path / "keys").iterdir())) == 3
    for tenant in Tenant.objects.all():
        assert recheck_all(tenant.pk).problems == ()


def test_each_organisation_has_a_worker_process_of_its_own() -> None:
    """M49: and nobody's where they are not there."""
    assert not [name for name in commands() if name.startswith("joint")]
    started = {name: words for name, words in commands(("a", "b")).items() if "joint" in name}
    assert {name: words[3] for name, words in started.items()} == {"joint-a": "a", "joint-b": "b"}
