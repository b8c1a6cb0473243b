"""A clock that could be moved would date the log, leases and budgets wrongly: nobody can.

Only the demonstration lives through days that are past, and only in a state folder of its own.
"""

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from dpgov.audit.actor import OPERATOR
from dpgov.demo.past import begin, ended
from dpgov.operation import clock, moving
from dpgov.operation.moving import ClockIsFixed, from_moment, move_to
from dpgov.tenants.models import Tenant, User
from dpgov.tenants.services import create_tenant

_LONG_AGO = timezone.now() - timedelta(days=90)
_A_DAY = timedelta(days=1)


@pytest.fixture
def home(tmp_path: Path, settings: Any) -> Path:
    settings.DPGOV_HOME = tmp_path
    return tmp_path


@pytest.mark.django_db
def test_no_deployment_can_move_its_clock(home: Path) -> None:
    """L34: a state folder that no demonstration made has no past to live in, and gets none."""
    with pytest.raises(ClockIsFixed), from_moment(_LONG_AGO):
        pass
    assert moving.moved_to() is None


@pytest.mark.django_db
def test_a_folder_in_which_somebody_works_gets_no_past(home: Path, tenant: Tenant) -> None:
    """L34: where an organisation is, the demonstration marks nothing, and so moves no clock."""
    assert not begin()
    assert not moving.mark().exists()


@pytest.mark.django_db
def test_a_mark_alone_moves_no_clock_of_a_database_server(home: Path) -> None:
    """L34: on PostgreSQL the clock stands whatever lies in the state folder."""
    moving.mark().touch()
    if connection.vendor == "postgresql":
        with pytest.raises(ClockIsFixed), from_moment(_LONG_AGO):
            pass
        return
    with from_moment(_LONG_AGO):
        assert clock.now() == _LONG_AGO
    assert abs(clock.now() - timezone.now()) < _A_DAY


@pytest.mark.django_db
def test_once_the_past_is_over_it_is_over_for_good(home: Path) -> None:
    """L34: the same state folder never goes back."""
    moving.mark().touch()
    ended()
    with pytest.raises(ClockIsFixed), from_moment(_LONG_AGO):
        pass


@pytest.fixture
def in_the_past(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the database is: what is asked here is the process's own clock."""
    moving.mark().touch()
    monkeypatch.setattr(moving, "connection", SimpleNamespace(vendor="sqlite"))


@pytest.mark.usefixtures("in_the_past")
def test_the_clock_goes_forwards_and_never_past_today() -> None:
    """L34: an entry is never dated before the one that it follows, nor ahead of today."""
    with from_moment(_LONG_AGO):
        move_to(_LONG_AGO + _A_DAY)
        with pytest.raises(ClockIsFixed):
            move_to(_LONG_AGO)
        with pytest.raises(ClockIsFixed):
            move_to(timezone.now() + _A_DAY)
        assert clock.now() == _LONG_AGO + _A_DAY
    with pytest.raises(ClockIsFixed):
        move_to(timezone.now())


@pytest.mark.django_db
@pytest.mark.usefixtures("in_the_past")
def test_rows_are_dated_by_it_and_statements_on_the_small_database() -> None:
    with from_moment(_LONG_AGO):
        tenant = create_tenant(name="Long Ago", actor=OPERATOR)
        User.objects.create_user(email="lena@example.org")
        at_this_moment = User.objects.filter(date_joined__gte=clock.Now())
        assert at_this_moment.exists() == (connection.vendor == "sqlite")
    assert tenant.created_at == _LONG_AGO
    assert User.objects.get().date_joined == _LONG_AGO
