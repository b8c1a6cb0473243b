"""Lists that are long from the second line on, so that two rows are as good as thousands."""

from collections.abc import Generator

import pytest

from dpgov.web import lists, picking


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row is few, two are many; a page holds one."""
    monkeypatch.setattr(picking, "FEW", 1)
    monkeypatch.setattr("dpgov.limits.web.forms.limits.FEW", 1)
    monkeypatch.setattr(lists, "PER_PAGE", 1)


@pytest.fixture(scope="module")
def beside_a_loop() -> Generator[None]:
    """The client of the browser has an event loop in this thread; it waits while rows are read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield
