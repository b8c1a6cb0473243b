"""H9: who may do it is asked when the whole body is there, and not when its first byte is sent."""

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import reverse

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset, Upload
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import ApiToken, Membership, Role
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.services import change_role, remove_member
from tests.cast import join, make_token
from tests.integration.datasets.registering import CSV, send_file

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
_FORM = "application/x-www-form-urlencoded"


class Held(BytesIO):
    """A body of which the server has seen nothing when it asks: then something happens first."""

    def __init__(self, body: bytes, meanwhile: Callable[[], object]) -> None:
        super().__init__(body)
        self._meanwhile: list[Callable[[], object]] = [meanwhile]

    def read(self, *size: Any) -> bytes:
        while self._meanwhile:
            self._meanwhile.pop()()
        return super().read(*size)


def sent(
    client: Client,
    path: str,
    body: bytes,
    meanwhile: Callable[[], object],
    kind: str = _FORM,
    method: str = "POST",
    **headers: str,
) -> int:
    held: Any = {"wsgi.input": Held(body, meanwhile), **headers}
    return client.generic(method, path, body, kind, **held).status_code


@pytest.fixture
def removes(admin: Membership) -> Callable[[Membership], Callable[[], object]]:
    """What removes this member when it is called."""

    def removal(member: Membership) -> Callable[[], object]:
        def remove() -> None:
            with acting_for(admin.tenant_id):
                found = Membership.objects.get(pk=member.pk)
                remove_member(membership=found, actor=actor_of(admin.user))

        return remove

    return removal


def _nothing() -> None:
    """The control: nobody is removed."""


_KINDS = {
    "a form": (_FORM, b"role=admin"),
    "a form with files": (MULTIPART_CONTENT, encode_multipart(BOUNDARY, {"role": "admin"})),
}


@pytest.mark.parametrize(("kind", "body"), _KINDS.values(), ids=_KINDS)
def test_an_administrator_who_holds_a_form_and_is_removed_gives_no_role(
    kind: str, body: bytes, analyst: Membership, client_for: ClientFor, removes: Any
) -> None:
    second = join(analyst.tenant, Role.ADMIN, "ada")
    path = reverse("people:member_role", args=[analyst.pk])
    assert sent(client_for(second), path, body, removes(second), kind) == 403
    analyst.refresh_from_db()
    assert analyst.role == Role.ANALYST


@pytest.mark.parametrize(("kind", "body"), _KINDS.values(), ids=_KINDS)
def test_whoever_stays_may(
    kind: str, body: bytes, admin: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    path = reverse("people:member_role", args=[analyst.pk])
    assert sent(client_for(admin), path, body, _nothing, kind) == 302
    analyst.refresh_from_db()
    assert analyst.role == Role.ADMIN


def test_an_officer_who_holds_the_form_of_the_export_and_is_removed_gets_no_log(
    officer: Membership, client_for: ClientFor, removes: Any
) -> None:
    path = reverse("oversight:audit_export", args=["jsonl"])
    assert sent(client_for(officer), path, b"x=1&y=2", removes(officer)) == 403
    assert not AuditEntry.objects.filter(action=Action.AUDIT_LOG_EXPORTED).exists()


def test_a_role_that_is_changed_while_a_body_is_held_does_nothing_more(
    admin: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    second = join(analyst.tenant, Role.ADMIN, "ada")

    def change() -> None:
        with acting_for(admin.tenant_id):
            change_role(membership=second, role="analyst", actor=actor_of(admin.user))

    path = reverse("people:member_role", args=[analyst.pk])
    assert sent(client_for(second), path, b"role=admin", change) == 403


def test_a_session_that_is_ended_while_a_body_is_held_does_nothing_more(
    admin: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    path = reverse("people:member_role", args=[analyst.pk])
    assert sent(client_for(admin), path, b"role=admin", Session.objects.all().delete) == 302
    analyst.refresh_from_db()
    assert analyst.role == Role.ANALYST


@pytest.mark.parametrize("ends", ["the membership", "the token"])
def test_a_token_that_ends_while_a_body_is_held_shows_no_dataset_to_anybody(
    ends: str, owner: Membership, dataset: Dataset, removes: Any
) -> None:
    Dataset.objects.update(named_only=True)
    meanwhile = removes(owner) if ends == "the membership" else ApiToken.objects.all().delete
    authorization = f"Token {make_token(owner, 'x')[1]}"
    path = reverse("v1:dataset-audience", args=[dataset.slug])
    body = json.dumps({"named_only": False}).encode()
    asked = sent(
        Client(), path, body, meanwhile, "application/json", "PATCH",
        HTTP_AUTHORIZATION=authorization,
    )  # fmt: skip
    assert asked == 401
    dataset.refresh_from_db()
    assert dataset.named_only


_DOORS = ["datasets:upload", "datasets:join", "datasets:import_columns"]
_ENDS = ["the membership", "the session"]


@pytest.mark.parametrize("ends", _ENDS)
@pytest.mark.parametrize("door", _DOORS)
def test_a_door_that_streams_a_file_asks_again_after_its_last_byte(
    door: str, ends: str, owner: Membership, client_for: ClientFor, removes: Any
) -> None:
    browser = client_for(owner)
    place = _first_upload(browser) if door != "datasets:upload" else None
    before = list(AuditEntry.objects.values_list("action", flat=True))
    path = reverse(door, args=[place] if place else [])
    meanwhile = removes(owner) if ends == "the membership" else Session.objects.all().delete
    assert sent(browser, path, _file(), meanwhile, MULTIPART_CONTENT) == 403
    after = list(AuditEntry.objects.exclude(action=Action.MEMBER_REMOVED))
    assert [entry.action for entry in after] == before


def _first_upload(browser: Client) -> Any:
    send_file(browser)
    return Upload.objects.get().pk


def _file() -> bytes:
    return encode_multipart(BOUNDARY, {"file": SimpleUploadedFile("people.csv", CSV)})


def test_a_body_that_breaks_off_is_answered_and_nothing_is_done(
    admin: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    def break_off() -> None:
        raise OSError("the line is gone")

    path = reverse("people:member_role", args=[analyst.pk])
    assert sent(client_for(admin), path, b"role=admin", break_off) == 400
    analyst.refresh_from_db()
    assert analyst.role == Role.ANALYST
