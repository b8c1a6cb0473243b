"""An installation that allows folders of a cluster; and one that answers as a cluster would."""

from typing import Any

import pytest

from dpgov.datasets.services.live.kinds import spark
from dpgov.engines.live import CellKind
from dpgov.engines.spark.rows import Source
from dpgov.engines.spark.server import Server
from tests.integration.datasets.spark.door import ADDRESS, ROOT

FORM: dict[str, CellKind | None] = {
    "id": CellKind.INTEGER,
    "age": CellKind.INTEGER,
    "sex": CellKind.TEXT,
    "note": None,
}


@pytest.fixture
def allowed(settings: Any) -> None:
    folders = {ADDRESS: (ROOT,), "other.example.org:15002": ("s3://hospital/data/",)}
    settings.DPGOV_LIVE = settings.DPGOV_LIVE | {"folders": folders}


@pytest.fixture
def looked_at(allowed: None, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Server, Source]]:
    """Whom the form was asked of; every path has the same one."""
    asked: list[tuple[Server, Source]] = []

    def check(server: Server, source: Source, *, allowed: Any) -> dict[str, CellKind | None]:
        asked.append((server, source))
        return FORM

    monkeypatch.setattr(spark, "is_installed", lambda: True)
    monkeypatch.setattr(spark, "check_source", check)
    return asked
