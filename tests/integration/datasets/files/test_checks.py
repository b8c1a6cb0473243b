"""I5: a file is checked for whoever uploaded it, and nobody else learns anything by it."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Checked, Dataset, Upload
from dpgov.datasets.services import TooManyChecks, check_file, discard_upload
from dpgov.notices.models import Notice
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.children import run_at_once
from tests.integration.datasets.registering import CSV, declared, register, uploaded

SignIn = Callable[[Membership], Client]
pytestmark = pytest.mark.django_db


def check(browser: Client, upload: Upload, **changes: str) -> Any:
    return browser.post(reverse("datasets:check", args=[upload.pk]), declared(**changes))


def test_the_words_are_on_the_page_and_nowhere_else(browser: Client, upload: Upload) -> None:
    """I5: not in the log, which says that it was done; not in a row, a draft or a notice."""
    page = check(browser, upload, sex__categories="f\r\nX").content.decode()
    assert "Outside the list: about half" in page
    assert "about half" not in str(list(AuditEntry.objects.values()))
    entry = AuditEntry.objects.latest("sequence")
    assert (entry.action, entry.subject) == ("UPLOAD_CHECKED", f"upload:{upload.pk}")
    assert entry.detail == '{"format":"csv"}'
    row = Checked.objects.values().get()
    assert {row["upload"], row["times"]} == {upload.pk, 1}
    assert set(row) == {"id", "tenant_id", "user_id", "upload", "day", "times"}
    assert not Notice.objects.exists()
    upload.refresh_from_db()
    assert "half" not in str([upload.reading, upload.draft.typed])


def test_nobody_but_the_uploader_can_have_it_checked(
    browser: Client, elsewhere: Client, owner: Membership, client_for: SignIn, upload: Upload
) -> None:
    """I5: another owner of the same organisation neither; nothing is counted for them."""
    others = [elsewhere, *(client_for(join(owner.tenant, role, f"x{role}")) for role in Role)]
    assert {check(other, upload).status_code for other in others} <= {403, 404}
    assert not Checked.objects.exists()
    assert check(browser, upload).status_code == 200


def test_a_registered_file_is_checked_no_more(browser: Client, upload: Upload) -> None:
    """I5: nor one that was deleted; of a dataset nothing is ever said in this way."""
    register(browser, upload)
    answer = check(browser, upload)
    assert answer.status_code == 302
    assert not Checked.objects.exists()
    assert Dataset.objects.count() == 1


def test_a_file_is_checked_so_often_a_day(browser: Client, upload: Upload, settings: Any) -> None:
    """I5: what was typed stays, and the page says when to go on."""
    settings.DPGOV_CHECKS_A_DAY_FILE = 2
    pages = [check(browser, upload) for _ in range(3)]
    assert [page.status_code for page in pages] == [200, 200, 422]
    assert "1 more time today" in pages[0].content.decode()
    assert "2 times today" in pages[2].content.decode()
    assert AuditEntry.objects.filter(action="UPLOAD_CHECKED").count() == 2


def test_deleting_and_uploading_again_gives_nothing_back(
    browser: Client, owner: Membership, settings: Any
) -> None:
    """I5: all files of a person count together."""
    settings.DPGOV_CHECKS_A_DAY_PERSON = 2
    for _ in range(2):
        first = uploaded(browser)
        check(browser, first)
        discard_upload(upload=first, user=owner.user)
    answer = check(browser, uploaded(browser))
    assert answer.status_code == 422
    assert "most for one person" in answer.content.decode()


def test_a_check_that_fails_counts(browser: Client) -> None:
    """I5: it is counted before the file is read."""
    upload = uploaded(browser, b"age,sex,city\n")
    answer = check(browser, upload)
    assert answer.status_code == 422
    assert "has no row" in answer.content.decode()
    assert Checked.objects.get().times == 1


@pytest.mark.django_db(transaction=True)
def test_checks_at_once_are_counted_one_after_the_other(
    browser: Client, owner: Membership, settings: Any
) -> None:
    """I5: eight at once would else each find the others not there yet."""
    settings.DPGOV_CHECKS_A_DAY_FILE = 2
    upload = uploaded(browser)
    step = partial(check_file, upload=upload, user=owner.user, columns=(), private_id="age")
    codes = run_at_once([step] * 8)
    assert codes.count(0) == Checked.objects.get().times == 2
    with pytest.raises(TooManyChecks):
        step()


REFUSED = {
    "no row": b"age,sex,city\n",
    "None of the cells of “age” can be read": b"age,sex,city\n3l,f,Basel\n,m,Bern\n",
    "None of the cells of “sex” is one of": b"age,sex,city\n30,F,Basel\n40,M,Bern\n",
}


@pytest.mark.parametrize(("words", "content"), REFUSED.items(), ids=REFUSED)
def test_what_says_nothing_is_refused_and_its_owner_alone_reads_why(
    browser: Client, owner: Membership, client_for: SignIn, words: str, content: bytes
) -> None:
    """I6: the log has the upload and nothing of the refusal; another owner sees no file at all."""
    upload = uploaded(browser, content)
    answer = register(browser, upload)
    assert words in answer.content.decode()
    assert not Dataset.objects.exists()
    assert [entry.action for entry in AuditEntry.objects.order_by("sequence")][-1:] == [
        "FILE_UPLOADED"
    ]
    other = client_for(join(owner.tenant, Role.OWNER, "odile"))
    for name in ("register", "reading", "file"):
        assert other.get(reverse(f"datasets:{name}", args=[upload.pk])).status_code == 404


def test_the_same_file_as_it_should_be_is_registered(browser: Client) -> None:
    """I6: one cell is enough; the rest is the owner's to judge."""
    register(browser, uploaded(browser, CSV.replace(b"45,m", b"x,?")))
    assert Dataset.objects.count() == 1
