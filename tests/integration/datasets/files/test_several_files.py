"""M102: a table in several files of one archive, from the pages to its answers."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.budgets.models import Budget
from dpgov.datasets.models import Arrival, Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import check_file, checks_left, engine_for
from dpgov.engines import child
from dpgov.engines.child import Progress
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind, UnitBounds
from dpgov.tenants.models import Membership
from tests.eager import arrived, read_waiting, refused
from tests.integration.datasets.arrivals.conftest import files, while_it_is_read
from tests.integration.datasets.arriving import arrives
from tests.integration.datasets.filing import columns
from tests.integration.datasets.invented import Rows, as_csv, as_parquet, people
from tests.integration.datasets.registering import declared, register, send_file, uploaded
from tests.unit.engines.hostile_files import zipped

pytestmark = pytest.mark.django_db

PEOPLE, MORE = people(1), people(2, 40)
FORMATS: dict[str, Callable[[Rows], bytes]] = {"csv": as_csv, "parquet": as_parquet}


def pieces(rows: Rows, kind: str = "csv", number: int = 2) -> bytes:
    """A zip archive of files of these rows."""
    made, size = FORMATS[kind], len(rows) // number
    cut = [rows[place * size : (place + 1) * size] for place in range(number)]
    return zipped({f"part-{at:04}.{kind}": made(piece) for at, piece in enumerate(cut)})


def _count(
    version: DatasetVersion, *kinds: MeasureKind, rows: int | None = None
) -> tuple[int, ...]:
    measures = tuple(Measure(kind) for kind in kinds or (MeasureKind.ROWS,))
    bounds = None if rows is None else UnitBounds(rows)
    (cell,) = engine_for(version).answer(ExactRequest((), (), measures, bounds))
    return cell


@pytest.mark.parametrize("kind", FORMATS)
def test_an_archive_of_two_files_is_one_table(browser: Client, kind: str) -> None:
    """M102: first its owner is told what was understood; then it is a dataset like any other."""
    before = files("uploads")
    answer = send_file(browser, pieces(PEOPLE, kind), "people.zip")
    upload = Upload.objects.get()
    assert answer.url == reverse("datasets:file", args=[upload.pk])
    page = browser.get(answer.url).content.decode()
    assert "The 2 files in the zip archive are read as one table" in page
    assert f"from “part-0000.{kind}” to “part-0001.{kind}”" in page
    assert (upload.format, upload.headers) == (kind, ["age", "sex", "city"])
    register(browser, upload)
    assert _count(current_version(Dataset.objects.get())) == (60,)
    assert files("uploads") == before


@pytest.mark.parametrize("kind", FORMATS)
def test_new_rows_come_in_several_files(browser: Client, kind: str) -> None:
    """M102, L2: added to those of one file; and a whole version may come so, too."""
    register(browser, uploaded(browser, as_csv(PEOPLE)))
    dataset = Dataset.objects.get()
    for holds, rows in (({"holds": "new_rows"}, 100), ({}, 40)):
        upload = _sent(browser, pieces(MORE, kind))
        address = reverse("datasets:add_version", args=[dataset.slug, upload.pk])
        arrived(browser, browser.post(address, declared() | holds))
        assert _count(current_version(Dataset.objects.get())) == (rows,)


def _sent(browser: Client, content: bytes) -> Upload:
    assert send_file(browser, content, "x.zip").status_code == 302
    return Upload.objects.latest("created_at")


AGAIN: dict[str, bytes] = {
    "pieces of CSV": pieces(PEOPLE),
    "pieces in another order": pieces(PEOPLE[::-1], number=3),
    "pieces of Parquet": pieces(PEOPLE, "parquet"),
    "the one file, packed": zipped({"a.csv": as_csv(PEOPLE)}),
}


@pytest.mark.parametrize("content", AGAIN.values(), ids=AGAIN)
def test_the_same_people_in_pieces_share_their_budget(browser: Client, content: bytes) -> None:
    """M102, F9: and the file that comes after its pieces as well."""
    first = arrives(browser, as_csv(PEOPLE), name="First")
    again = _registered(browser, content, "Again")
    assert again.budget_id == first.budget_id
    assert Budget.objects.count() == 1


def test_one_file_after_its_pieces_shares_their_budget(browser: Client) -> None:
    """F9: which came first does not matter."""
    first = _registered(browser, pieces(PEOPLE), "First")
    assert arrives(browser, as_csv(PEOPLE), name="Again").budget_id == first.budget_id


def test_pieces_of_changed_people_are_held(browser: Client) -> None:
    """F9: much the same people are recognised, too."""
    arrives(browser, as_csv(PEOPLE), name="First")
    assert _registered(browser, pieces(PEOPLE[:-2]), "Again").held_at is not None


def _registered(browser: Client, content: bytes, name: str) -> Dataset:
    register(browser, _sent(browser, content), name=name)
    return Dataset.objects.get(name=name)


def test_a_person_in_two_files_is_one_person(browser: Client) -> None:
    """M102, D6: no more of their rows count than of one file; Ann has three and Bob two."""
    first, second = b"age,sex,city\n30,f,Ann\n31,f,Ann\n40,m,Bob\n", b"age,sex,city\n32,m,Ann\n"
    upload = _sent(browser, zipped({"a.csv": first, "b.csv": second + b"41,m,Bob\n42,m,Cid\n"}))
    named = {"unit": "person", "private_id": "city", "max_rows_per_unit": "2"}
    register(browser, upload, **named, max_groups_per_unit="1")
    version = current_version(Dataset.objects.get())
    assert _count(version, MeasureKind.ROWS, MeasureKind.UNITS, rows=2) == (5, 3)
    assert _count(version, MeasureKind.ROWS, MeasureKind.UNITS, rows=1) == (3, 3)


def test_what_is_wrong_with_one_of_them_is_told_to_its_owner_by_its_name(browser: Client) -> None:
    """M102: at once where its beginning says so, after the reading where its end does."""
    before = files("uploads")
    page = send_file(browser, zipped({"a.csv": b"age,sex\n1,f\n", "b.csv": b"sex,age\nf,1\n"}))
    assert page.status_code == 422
    assert "“b.csv”: Its columns are in another order" in page.content.decode()
    assert files("uploads") == before
    upload = _sent(browser, zipped({"a.csv": as_csv(PEOPLE), "b.csv": as_csv(MORE) + b"7\n"}))
    response = register(browser, upload)
    assert refused(response)
    assert "“b.csv”: Row 42 does not have as many cells" in response.content.decode()
    assert not Dataset.objects.exists()
    browser.cookies["django_language"] = "de"
    german = browser.get(reverse("datasets:register", args=[upload.pk])).content.decode()
    assert "„b.csv“: Zeile 42" in german


def test_pieces_are_read_differently(browser: Client) -> None:
    """M102: what is said holds for all of them."""
    text = "w;x\n7,5;{}\n"
    archive = zipped({name: text.format(name).encode() for name in ("a.csv", "b.csv")})
    upload = _sent(browser, archive)
    where = reverse("datasets:file", args=[upload.pk])
    browser.post(where, {"encoding": "utf-8", "delimiter": ";", "decimal": ",", "header": "values"})
    upload.refresh_from_db()
    assert upload.headers == ["column_1", "column_2"]
    assert (upload.reading["decimal"], upload.reading["files"]) == (",", 2)


def test_pieces_are_checked_privately(owner: Membership, browser: Client) -> None:
    """M102, I5: all of them; a column that is filled in one of two is half filled."""
    upload = _sent(browser, zipped({"a.csv": b"visits\n1\n2\n", "b.csv": b'visits\n""\n""\n'}))
    left = checks_left(upload, owner.user)
    found = check_file(upload=upload, user=owner.user, columns=columns()[:1], private_id=None)
    assert found.columns["visits"]["filled"] == "half"
    assert checks_left(upload, owner.user) == left - 1


def test_stopped_midway_nothing_is_left(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """M102, L13: the archive stays its owner's, and can be registered again."""
    before, data = files("uploads"), files("data")
    upload = _sent(browser, pieces(PEOPLE, "parquet"))
    browser.post(reverse("datasets:register", args=[upload.pk]), declared())
    stop = reverse("datasets:cancel_reading", args=[upload.pk])
    with monkeypatch.context() as stopping:
        while_it_is_read(stopping, lambda: browser.post(stop))
        read_waiting()
    assert Arrival.objects.get().state == Arrival.State.CANCELLED
    assert files("uploads") == before | {str(upload.pk)}
    assert files("data") == data
    register(browser, upload)
    assert Dataset.objects.count() == 1


def test_an_archive_is_read_in_the_time_of_what_is_in_it(
    browser: Client, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """M102, I1: by what was found in it at the upload."""
    given: list[int] = []
    read = child.ingest

    def noted(*args: Any, **more: Any) -> Any:
        given.append(more["limits"].seconds - settings.DPGOV_INGEST_SECONDS)
        return read(*args, **more)

    padding = "".join(f"{place:07}\n" for place in range(400_000)).encode()
    text = b"age,sex,city\n30,f," + padding.replace(b"\n", b"-") + b"\n"
    register_it = _sent(browser, zipped({"a.csv": text, "b.csv": text}))
    assert register_it.byte_size < 3_000_000
    with patch.object(child, "ingest", noted):
        register(browser, register_it)
    assert given == [6]


def test_no_room_for_a_file_of_the_archive_is_nothing_that_is_wrong_with_it(
    browser: Client,
) -> None:
    """M102, R12: while it is looked at as well."""
    before = files("uploads")
    full = patch.object(child, "converse", return_value={"no_room": "OSError"})
    with full:
        page = send_file(browser, pieces(PEOPLE, "parquet"))
    assert "has no room for the file" in page.content.decode()
    assert files("uploads") == before


def test_progress_of_an_archive_is_of_its_own_bytes(browser: Client) -> None:
    """M102, L13: whole at its end."""
    heard: list[Progress] = []
    read = child.ingest

    def followed(*args: Any, watch: Any, **more: Any) -> Any:
        def both(progress: Progress) -> None:
            heard.append(progress)
            watch(progress)

        return read(*args, watch=both, **more)

    upload = _sent(browser, pieces(PEOPLE))
    with patch.object(child, "ingest", followed):
        register(browser, upload)
    assert heard[-1] == Progress(60, upload.byte_size)
