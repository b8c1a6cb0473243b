"""A run of the noise check that ends while the database is away."""

from typing import Any

import pytest
from django.db import OperationalError

from dpgov.noise_check import run
from dpgov.noise_check.findings import Finding, Verdict, last_report
from dpgov.noise_check.models import LastRun

pytestmark = pytest.mark.django_db(transaction=True)
BROKEN = Finding("sum", "pure", 2.0, 1.3, 20_000, 1e-6, 50, bound=2.2, control=2.9)


@pytest.mark.parametrize(("outages", "kept"), [(2, True), (10, False)])
def test_a_run_that_ends_in_an_outage_is_kept_when_the_database_is_back(
    outages: int, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else its alarm would reach nobody: the next run may be a week off."""
    write, left = LastRun.objects.update_or_create, list(range(outages))

    def away(**fields: Any) -> object:
        if left:
            left.pop()
            raise OperationalError("the connection is closed")
        return write(**fields)

    monkeypatch.setattr(LastRun.objects, "update_or_create", away)
    monkeypatch.setattr(run, "_PAUSE", 0.0)
    run.keep_and_tell([BROKEN])
    found = last_report()
    assert (found.verdict if found else None) == (Verdict.BROKEN if kept else None)
    assert left == []
