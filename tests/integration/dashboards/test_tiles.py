"""The large numbers at the top of Home, for each role its own."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client

from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset
from dpgov.queries.answering.heartbeat import Heart, Sweeps
from dpgov.queries.asking.policy import QueryLimitExceeded
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import Ask

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


def tiles(browser: Client) -> dict[str, Any]:
    return {tile.title: tile for tile in browser.get("/").context["tiles"]}


def test_an_officer_sees_refusals_proof_and_suspicious_patterns(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, officer: Membership,
    dataset: Dataset, client_for: ClientFor,
) -> None:  # fmt: skip
    for _again in range(3):
        ask(analyst, epsilon="0.1")
    answer_all()
    browser = client_for(officer)
    assert tiles(browser)["Suspicious patterns"].figure == "1"
    for age in (40, 41):
        ask(analyst, where=({"column": "age", "op": "<", "value": age},), epsilon="0.1")
    answer_all()
    with pytest.raises(QueryLimitExceeded):
        ask(analyst, epsilon=11)
    make_checkpoint(tenant_id=dataset.tenant_id)
    found = tiles(browser)
    assert found["Refused in 30 days"].figure == "1"
    patterns = f"/datasets/{dataset.slug}/patterns/"
    assert f'<a href="{patterns}">Suspicious patterns</a>' in browser.get("/").text
    ranked = browser.get(patterns).context["ranked"]
    assert found["Suspicious patterns"].figure == str(len(ranked)) == "2"
    assert {bool(one.is_narrow) for _rank, one in ranked} == {True, False}
    proof = found["Log proved up to entry"]
    assert int(proof.figure) == AuditEntry.objects.filter(tenant_id=dataset.tenant_id).count()
    assert proof.alarm


def test_an_analyst_sees_own_answers_and_how_many_are_free(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, dataset: Dataset,
    colleague: Membership, client_for: ClientFor,
) -> None:  # fmt: skip
    """E8: a colleague's answer counts from the next day on, so that none is seen to arrive."""
    asked = ask(colleague, epsilon=1)
    answer_all()
    browser = client_for(analyst)
    assert tiles(browser)["Free answers"].figure == "0"
    then = asked.submitted_at - timedelta(days=1)
    Query.objects.filter(pk=asked.pk).update(submitted_at=then)
    found = tiles(browser)
    assert (found["Free answers"].figure, found["Your answers in 30 days"].figure) == ("1", "0")


def test_an_administrator_sees_people_deliveries_and_processes(
    admin: Membership, owner: Membership, client_for: ClientFor
) -> None:
    Authenticator.objects.create(user=owner.user, type=Authenticator.Type.TOTP, data={})
    found = tiles(client_for(admin))
    assert found["Without a second factor"].figure == "1"
    assert found["Failing webhooks"].figure == "0"
    assert found["Answering now"].alarm
    assert "not been heard of" in found["Answering now"].text
    Heart().beat(Sweeps())
    assert "running since" in tiles(client_for(admin))["Answering now"].text
