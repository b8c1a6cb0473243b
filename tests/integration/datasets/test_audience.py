"""L37: an owner says who sees a dataset, never themselves; one entry, and the database agrees."""

import json
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from rest_framework.test import APIClient

from dpgov.audit.models import AuditEntry
from dpgov.datasets import services
from dpgov.datasets.audience import analysts_of, seen, viewers_of
from dpgov.datasets.models import Dataset, Upload, Viewer
from dpgov.datasets.services import NoAnalyst, OwnNaming, change_audience
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.services import remove_member
from tests.agreed import join_in_two_roles
from tests.cast import join
from tests.integration.datasets.registering import register

pytestmark = pytest.mark.django_db
API = "/api/v1/datasets/visits/audience/"
AUDIENCE = ("named_only", "viewers")
PAGE = "/datasets/visits/audience/"


def _entries() -> list[dict[str, Any]]:
    found = AuditEntry.objects.filter(action="AUDIENCE_CHANGED").order_by("sequence")
    return [json.loads(one.detail) for one in found]


def test_the_log_says_who_saw_it_before_and_who_sees_it_after(
    dataset: Dataset, owner: Membership, analyst: Membership
) -> None:
    """L37: one entry for a change, and none for the same again."""
    for _ in range(2):
        change_audience(dataset=dataset, named_only=True, named={analyst.pk}, user=owner.user)
    change_audience(dataset=dataset, named_only=False, named={analyst.pk}, user=owner.user)
    email = analyst.user.email
    assert [
        (one["before_named_only"], one["before_viewers"], one["after_named_only"])
        for one in _entries()
    ] == [(False, [], True), (True, [email], False)]
    assert [one["after_viewers"] for one in _entries()] == [[email], [email]]


def test_nobody_names_themselves_or_who_is_no_analyst(dataset: Dataset, owner: Membership) -> None:
    """L37: and a refusal changes nothing, nor what the others were named for."""
    both = join_in_two_roles(dataset.tenant, Role.OWNER, "beate")
    elsewhere = [join(dataset.tenant, Role.OFFICER, "otto"), owner]
    for refusal, user, named in (
        (OwnNaming, both.user, both),
        *((NoAnalyst, owner.user, one) for one in elsewhere),
    ):
        with pytest.raises(refusal):
            change_audience(dataset=dataset, named_only=True, named={named.pk}, user=user)
    assert _entries() == []
    assert not Dataset.objects.get(pk=dataset.pk).named_only
    change_audience(dataset=dataset, named_only=True, named={both.pk}, user=owner.user)
    # Once another owner has named them they may say who else is.
    change_audience(dataset=dataset, named_only=True, named={both.pk}, user=both.user)
    assert viewers_of(dataset).get().named_by == owner.user


@pytest.mark.parametrize("by", ["themselves", "an officer", "a stranger"])
def test_the_database_takes_a_naming_by_another_owner_alone(
    dataset: Dataset, officer: Membership, stranger: Membership, by: str
) -> None:
    """L37: whoever writes the row."""
    both = join_in_two_roles(dataset.tenant, Role.OWNER, "beate")
    who = {"themselves": both, "an officer": officer, "a stranger": stranger}[by]
    with pytest.raises(DatabaseError, match="by another person"), transaction.atomic():
        Viewer.objects.create(
            tenant=dataset.tenant, dataset=dataset, membership=both, named_by=who.user
        )


def test_a_naming_is_never_changed_and_ends_with_the_membership(
    dataset: Dataset, owner: Membership, analyst: Membership, admin: Membership
) -> None:
    """L37: who comes back has to be named again."""
    change_audience(dataset=dataset, named_only=True, named={analyst.pk}, user=owner.user)
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        Viewer.objects.update(named_by=admin.user)
    remove_member(membership=analyst, actor=actor_of(admin.user))
    assert not Viewer.objects.exists()
    again = Membership.objects.create(
        tenant=dataset.tenant, user=analyst.user, role=Role.ANALYST.value
    )
    assert again not in analysts_of(Dataset.objects.get(pk=dataset.pk))


def test_the_page_and_the_api_say_and_change_the_same(
    dataset: Dataset,
    owner: Membership,
    analyst: Membership,
    client_for: Callable[[Membership], Client],
    api_for: Callable[[Membership], APIClient],
) -> None:
    """L37: read on either after a change on the other."""
    browser, api = client_for(owner), api_for(owner)
    sent = browser.post(PAGE, {"who": "named", "named": [str(analyst.pk)]})
    assert (sent.status_code, sent["Location"]) == (302, PAGE)
    told = api.get(API).json()
    assert (told["named_only"], [one["email"] for one in told["viewers"]]) == (
        True,
        [analyst.user.email],
    )
    assert "named analysts" in browser.get("/datasets/visits/").content.decode()
    assert api_for(analyst).get("/api/v1/datasets/visits/").json()["named_only"]
    told = api.patch(API, {"viewers": []}, format="json").json()
    assert told == {"named_only": True, "viewers": []}
    assert "checked" not in browser.get(PAGE).content.decode().partition("Named people")[2]
    upper = {"viewers": [analyst.user.email.upper()], "named_only": False}
    assert api.patch(API, upper, format="json").json()["viewers"][0]["named_by"] == owner.user.email


@pytest.mark.parametrize(
    ("sent", "meanwhile"),
    [({"viewers": []}, {"named_only": True}), ({"named_only": True}, {"named": []})],
    ids=["who is named", "whether only they see it"],
)
def test_what_is_left_out_stays_as_another_owner_has_just_made_it(
    dataset: Dataset,
    owner: Membership,
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
    sent: dict[str, Any],
    meanwhile: dict[str, Any],
) -> None:
    """L37: never as it was when the request was read; nor is it told as this owner's decision."""
    change_audience(dataset=dataset, named_only=False, named={analyst.pk}, user=owner.user)
    other = join(dataset.tenant, Role.OWNER, "hanna").user

    def after_the_other(**wanted: Any) -> None:
        change_audience(
            **{"dataset": dataset, "named_only": None, "named": None, "user": other} | meanwhile
        )
        change_audience(**wanted)

    with patch.object(services, "change_audience", after_the_other):
        told = api_for(owner).patch(API, sent, format="json").json()
    assert told == {"named_only": True, "viewers": []}
    assert viewers_of(dataset).count() == 0
    last = _entries()[-1]
    key = next(iter(set(AUDIENCE) - sent.keys()))
    assert last[f"before_{key}"] == last[f"after_{key}"]


@pytest.mark.parametrize("viewers", [["nobody@example.org"], ["no address"], "anna"])
def test_the_api_refuses_whoever_cannot_be_named(
    dataset: Dataset, owner: Membership, api_for: Callable[[Membership], APIClient], viewers: object
) -> None:
    """L37: at its field, and nothing is changed."""
    refused = api_for(owner).patch(API, {"named_only": True, "viewers": viewers}, format="json")
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["attr"].startswith("viewers")
    assert not Dataset.objects.get(pk=dataset.pk).named_only


def test_a_dataset_for_named_people_is_one_from_its_first_moment(
    browser: Client,
    upload: Upload,
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
) -> None:
    """L37: declared with everything else, so that there is no moment in which everybody sees it."""
    review = register(browser, upload, named_only="on")
    dataset = Dataset.objects.get()
    assert dataset.named_only
    assert review.url == f"/datasets/{dataset.slug}/audience/"
    told = json.loads(AuditEntry.objects.get(action="DATASET_REGISTERED").detail)
    assert told["named_only"] is True
    assert api_for(analyst).get(f"/api/v1/datasets/{dataset.slug}/").status_code == 404
    assert dataset not in Dataset.objects.filter(seen(analyst))
