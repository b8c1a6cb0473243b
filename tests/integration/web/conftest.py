"""Lists that are long from the second line on, so that two rows are as good as thousands."""

import pytest

from dpgov.web import lists, picking


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row is few, two are many; a page holds one."""
    monkeypatch.setattr(picking, "FEW", 1)
    monkeypatch.setattr("dpgov.limits.web.forms.limits.FEW", 1)
    monkeypatch.setattr(lists, "PER_PAGE", 1)
