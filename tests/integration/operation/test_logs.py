"""One line for each event, and nothing in it that could quote data, a question or a letter."""

import io
import json
import logging
import logging.config
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from django.core import mail
from django.test import Client

from dpgov.operation import request_ids
from dpgov.operation.logs import UnknownLogFormat, logging_config
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership

Lines = Callable[[], list[dict[str, Any]]]
CANARY = "Zebediah-Canary"


@pytest.fixture
def lines() -> Iterator[Lines]:
    """What a process with DPGOV_LOG_FORMAT=json writes, one dictionary for each line."""
    written = io.StringIO()
    config = logging_config("json", "DEBUG")
    config["handlers"]["stderr"]["stream"] = written
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    logging.config.dictConfig(config)
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    root.handlers[:] = before
    root.setLevel(level)
    for name in config["loggers"]:
        logging.getLogger(name).setLevel(logging.NOTSET)
    request_ids.end()


def test_every_logger_writes_one_object_a_line(lines: Lines) -> None:
    """G9: line breaks in a message do not make two events of one."""
    request_ids.begin("a-request-of-ours")
    for name in (
        "django.request",
        "celery.worker",
        "gunicorn.error",
        "dpgov.queries.answering.answer",
    ):
        logging.getLogger(name).error("first %s\n{second}", name)
    structlog.get_logger("dpgov.sweep").warning("swept\x1b[2J", sent=3)
    told = lines()
    assert [line["event"].startswith(("first ", "swept ")) for line in told] == [True] * 5
    assert {line["request_id"] for line in told} == {"a-request-of-ours"}
    assert {"timestamp", "level", "logger"} <= set(told[-1])
    assert told[-1]["sent"] == 3


def test_the_text_of_an_error_is_not_written(lines: Lines) -> None:
    """B11: a database quotes the row that it refused, so only kinds and places are told."""
    try:
        try:
            raise KeyError(CANARY)
        except KeyError as cause:
            raise ValueError(f"a row with {CANARY}") from cause
    except ValueError:
        logging.getLogger("django.request").exception("Internal Server Error: /x/")
        structlog.get_logger("dpgov.task").exception("a task broke off")
    told = lines()
    assert [[text.split()[0] for text in line["error"]] for line in told] == [
        ["ValueError", "KeyError"],
        ["ValueError", "KeyError"],
    ]
    assert "test_logs.py:" in told[0]["error"][0]
    assert CANARY not in json.dumps(told)


@pytest.mark.django_db(transaction=True)
def test_a_key_in_a_path_is_not_written_when_its_page_breaks(
    lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H5: whoever reads the log cannot set somebody's password."""

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("allauth.account.views.PasswordResetFromKeyView.dispatch", fail)
    browser = Client(raise_request_exception=False, enforce_csrf_checks=True)
    path = f"/account/password/reset/key/abc-{CANARY}/"
    assert browser.get(path).status_code == 500
    assert browser.post(f"/account/login/?next={path}").status_code == 403
    assert browser.get(f"/nowhere/{CANARY}/").status_code == 404
    told = lines()
    assert {"Internal Server Error: (a path)"} <= {line["event"] for line in told}
    assert CANARY not in json.dumps(told)


def test_no_other_format_is_accepted() -> None:
    with pytest.raises(UnknownLogFormat, match="json or console"):
        logging_config("xml", "INFO")


@pytest.mark.django_db(transaction=True)
def test_a_request_is_one_line_with_its_route_and_without_its_content(
    lines: Lines, analyst: Membership, client_for: Callable[[Membership], Client]
) -> None:
    """B11: neither path parameters nor queries nor bodies nor people are in the log."""
    browser = client_for(analyst)
    answer = browser.get("/datasets/", {"q": CANARY})
    browser.post("/account/login/", {"login": f"{CANARY}@example.org", "password": CANARY})
    told = [line for line in lines() if line["event"] == "request"]
    assert [line["route"] for line in told] == ["datasets:list", "account_login"]
    assert told[0]["request_id"] == answer.headers["X-Request-ID"]
    assert told[0]["status"] == 200
    assert CANARY not in json.dumps(lines())
    assert analyst.user.email not in json.dumps(lines())


@pytest.mark.django_db(transaction=True)
def test_a_letter_s_text_is_not_in_the_log(lines: Lines, analyst: Membership) -> None:
    """H5: a link that signs somebody in is in the letter alone."""
    Client().post("/account/password/reset/", {"email": analyst.user.email})
    assert len(mail.outbox) == 1
    link = next(w for w in str(mail.outbox[0].body).split() if "/password/reset/key/" in w)
    assert link.rsplit("/", 2)[1] not in json.dumps(lines())
    assert analyst.user.email not in json.dumps(lines())


@pytest.mark.django_db(transaction=True)
def test_a_question_that_breaks_leaves_its_id_and_nothing_of_its_plan(
    lines: Lines,
    analyst: Membership,
    ask: Callable[..., Query],
    answer_all: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """B11"""

    def fail(*_: object) -> None:
        raise RuntimeError(CANARY)

    monkeypatch.setattr("dpgov.queries.answering.answer.draw", fail)
    query = ask(analyst, where=({"column": "sex", "op": "=", "value": "Female"},))
    answer_all()
    text = json.dumps(lines())
    assert str(query.pk) in text
    assert "Female" not in text
    assert CANARY not in text
