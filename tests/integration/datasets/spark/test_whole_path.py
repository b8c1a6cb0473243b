"""With a real cluster: files are registered, asked, and declared anew (decision 50)."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from django.test import Client
from django.urls import reverse

from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset, LiveTable
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import engine_for
from dpgov.engines.spark import engine
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind
from dpgov.queries.answering.answer import answer_next
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.cast import Ask, publish_now
from tests.integration.datasets.registering import register as register_file
from tests.integration.datasets.registering import uploaded
from tests.integration.datasets.spark.door import connect, registered
from tests.servers.spark import throw_away_spark
from tests.unit.engines.spark.owner import Owner

pytestmark = [pytest.mark.spark, pytest.mark.django_db(transaction=True)]
ROWS = [(row, row * 7 % 83, "fm"[row % 2]) for row in range(1, 201)]
ASKED = ExactRequest(
    (),
    (CodeGrouping(1, ((0, 0), (1, 1))),),
    (Measure(MeasureKind.ROWS), Measure(MeasureKind.CODE_SUM, 0)),
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Owner]:
    with tempfile.TemporaryDirectory(dir=os.environ["DPGOV_TESTS_ROOT"]) as folder:
        root = Path(folder)
        (root / "files").mkdir()
        with throw_away_spark(root) as spark:
            yield Owner(spark, root / "files")


def test_files_are_registered_asked_and_declared_anew(
    cluster: Owner,
    browser: Client,
    analyst: Membership,
    ask: Ask,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """M96: The same integers as a file of these rows; another form is refused and uncharged."""
    address = cluster.server.address
    settings.DPGOV_LIVE = settings.DPGOV_LIVE | {
        "folders": {address: (cluster.root,)},
        "tls": "disable",
        # A busy machine starts the first tasks of a cluster in a minute.
        "seconds": 300,
    }
    monkeypatch.setattr(engine, "_REACH_SECONDS", 300)
    settings.DPGOV_QUERY_SECONDS = 300
    columns = zip(("id", "age", "sex"), zip(*ROWS, strict=True), strict=True)
    form = {name: pa.array(cells) for name, cells in columns}
    cluster.has("people/a.parquet", form)
    place = {
        "host": "127.0.0.1",
        "port": str(cluster.server.port),
        "path": f"{cluster.root}people",
        "password": cluster.server.token,
    }
    assert connect(browser, **place | {"password": "wrong"}).status_code == 422
    assert not LiveTable.objects.exists()
    live = registered(browser, "Files", **place)
    text = "age,sex,city\n" + "".join(f"{age},{sex},x\n" for _, age, sex in ROWS)
    register_file(browser, uploaded(browser, text.encode()), name="In a file")
    of_file = current_version(Dataset.objects.get(name="In a file"))
    assert engine_for(current_version(live)).answer(ASKED) == engine_for(of_file).answer(ASKED)
    query = ask(analyst, of=live)
    assert answer_next()
    assert publish_now() == 1
    assert Release.objects.filter(query=query).exists()
    cluster.has("people/a.parquet", form | {"age": pa.array([str(age) for _, age, _ in ROWS])})
    again = ask(analyst, of=live)
    assert answer_next()
    again.refresh_from_db()
    assert again.state == Query.State.VOIDED
    assert Budget.objects.get(pk=live.budget_id).spent_nano == 500_000_000
    declared = browser.post(reverse("datasets:declare_live", args=[live.slug]))
    assert declared.status_code == 302
