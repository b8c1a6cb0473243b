"""Values planted in the data are looked for wherever the product keeps anything."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from celery import current_app
from django.apps import apps
from django.conf import settings as live
from django.core import serializers

from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import receive_upload, register_dataset
from dpgov.datasets.services.stored.seals import seal_of
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit
from dpgov.queries.answering.tasks import wake
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import publish_now
from tests.integration.queries.answering.workers import prefork_fleet
from tests.made_once import made_once
from tests.servers.waiting import end_of, until

pytestmark = pytest.mark.django_db(transaction=True)

NAME = "Zebediah Quillfeather-Canary"
AMOUNT = 731_995_127
EXACT_SUM = str(AMOUNT * 40)


@made_once
def planted(owner: Membership) -> Dataset:
    """Forty rows that all carry the same name and amount, and one that is as declared."""
    rows = ["Anna,0", *(f"{NAME},{AMOUNT}" for _ in range(40))]
    upload = receive_upload(
        tenant=owner.tenant,
        uploader=owner.user,
        name="planted.csv",
        chunks=["\n".join(["name,amount", *rows, ""]).encode()],
    )
    declaration = Declaration(
        name="Planted",
        description="",
        schema=DatasetSchema(
            columns=(
                column_spec("name", category_domain(["Anna"]), MissingRule.DROP, ""),
                column_spec("amount", numeric_domain("0", "1000000000", "1"), "drop", ""),
            ),
            unit=PrivacyUnit(),
            neighbouring=Neighbouring.ADD_REMOVE,
            group_size=1,
            max_rows=1000,
        ),
        limit_nano=10 * NANO,
        per_query_limit_nano=NANO,
    )
    return register_dataset(
        tenant=owner.tenant, owner=owner.user, upload=upload, declaration=declaration
    ).dataset


def test_planted_values_are_nowhere_but_in_the_data_file(
    analyst: Membership, planted: Dataset, ask: Callable[..., Query], tmp_path: Path
) -> None:
    """B11: not in the broker, logs, task results, releases, audit log or any other row."""
    log = tmp_path / "worker.log"
    with prefork_fleet(log):
        answered = ask(analyst, of=planted, statistics=({"statistic": "sum", "column": "amount"},))
        grouped = ask(analyst, of=planted, group_by=({"column": "name"},))
        _wait_for([answered, grouped], Query.State.RELEASED, log)
    _damage(planted)
    with prefork_fleet(log):
        failing = ask(analyst, of=planted)
        _wait_for([failing], Query.State.FAILED, log)
    kept = {"the worker's log": log.read_text(), **_database(), **dict(_broker()), **_files()}
    found = [
        (place, canary)
        for place, text in kept.items()
        for canary in (NAME, str(AMOUNT), EXACT_SUM)
        if canary in text
    ]
    assert found == []
    assert "Planted" in str(kept), "the control: what is public is found by the same search"


def _damage(dataset: Dataset) -> None:
    """A worker that opens the file from now on reads nonsense after its header."""
    for path in (Path(live.DPGOV_HOME) / "data").glob(f"{dataset.versions.get().pk}*"):
        path.write_bytes(path.read_bytes()[:5000] + NAME.encode() * 100)
    # Otherwise the file would not even be taken for ours.
    dataset.versions.update(file_seal=seal_of(dataset.versions.get().pk))


def _wait_for(queries: list[Query], state: str, log: Path) -> None:
    mine = Query.objects.filter(pk__in=[query.pk for query in queries])

    def are_there() -> bool:
        wake(mine.filter(state=Query.State.QUEUED).count())
        publish_now()
        return not mine.exclude(state=state).exists()

    until(are_there, end_of(log))


def _database() -> dict[str, str]:
    return {
        model._meta.label: serializers.serialize("json", model._default_manager.all())
        for model in apps.get_models()
        if model._meta.app_label != "contenttypes"
    }


def _broker() -> Iterator[tuple[str, str]]:
    """Everything that Redis holds; the filesystem broker is among the files."""
    url: str = current_app.conf.broker_url
    if not url.startswith("redis"):
        return
    with redis.Redis.from_url(url) as server:
        for key in server.scan_iter():
            yield f"redis {key!r}", repr(server.dump(key))


def _files() -> dict[str, str]:
    """Everything in the state folder but the data files, which hold codes only."""
    home = Path(live.DPGOV_HOME)
    return {
        str(path): path.read_bytes().decode(errors="replace")
        for path in home.rglob("*")
        if path.is_file() and path.parent.name != "data"
    }
