"""L1, L2: what becomes of the parts beside a colleague's file, or under ids written otherwise.

Nobody learns from it whether somebody else's row is there.
"""

import json
from collections.abc import Callable

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.datasets.filing import (
    Row,
    apart,
    as_file,
    columns,
    parts_of,
    people,
    registered,
    uploaded,
    versioned,
)
from tests.made_once import made_once

BOTH = people(*[("North", "South")] * 12)
SPECS = columns()


@made_once
def colleague(owner: Membership) -> Membership:
    """Another owner of the same organisation."""
    return join(owner.tenant, Role.OWNER, "otto")


@pytest.mark.parametrize("named", [("007", "7"), ("0100", "100.0")])
def test_ids_that_are_written_in_another_way_end_no_discount(
    owner: Membership, named: tuple[str, str]
) -> None:
    """L1, L2: what everybody sees does not tell that somebody has such an id; its owner is told.

    To the same content such a cell is the same number, and as an id it is somebody else.
    """
    first_id, again = named
    others = [(f"{100 + who}", who, "North") for who in range(1, 30)]
    first = registered(owner, as_file([*others, (first_id, 77, "South")]), SPECS)
    before = parts_of(first)
    with pytest.raises(InvalidDomain, match="are written in another way here") as refused:
        versioned(owner, first, as_file([*others, (again, 77, "South")]), SPECS)
    assert refused.value.field == "columns"
    assert (apart(first), parts_of(first)) == (True, before)
    assert first.versions.count() == 1
    assert not AuditEntry.objects.filter(action="DATASET_VERSION_ADDED").exists()
    versioned(owner, first, as_file([*others[::-1], (first_id, 77, "South")]), SPECS)
    assert (apart(first), parts_of(first)) == (True, before)


@pytest.mark.parametrize(
    "probe",
    [
        [(f"00{who}", visits, region) for who, visits, region in (*BOTH, ("p77", 77, "South"))],
        [*BOTH, ("p77", 77, "South")],
        [("p77", 77, "North")],
    ],
    ids=["all of it with other ids", "all of it", "one guess"],
)
def test_what_becomes_of_the_parts_tells_nothing_of_a_colleague_s_rows(
    owner: Membership, colleague: Membership, probe: list[Row]
) -> None:
    """L1, L2: they are given up whether or not the guess is there, and the log says the same."""
    found = []
    for guessed in ("South", "North"):
        with transaction.atomic():
            first = registered(owner, as_file([*BOTH, ("p77", 77, guessed)]), SPECS)
            version = versioned(colleague, first, as_file(probe), SPECS)
            detail = json.loads(AuditEntry.objects.latest("sequence").detail)
            found.append((apart(first), parts_of(first), detail))
            assert version.number == 2
            transaction.set_rollback(True)
    assert found[0] == found[1]
    assert found[0][0] is False


def test_the_page_says_what_a_file_beside_a_colleague_s_does(
    owner: Membership, colleague: Membership, client_for: Callable[[Membership], Client]
) -> None:
    """L2: before it is added; whoever brought all the files goes on as before."""
    first = registered(owner, as_file(BOTH), SPECS)
    said = {}
    for member in (owner, colleague):
        upload = uploaded(member, as_file(BOTH[:-1]))
        page = reverse("datasets:add_version", args=[first.slug, upload.pk])
        said[member] = client_for(member).get(page).text
    assert "someone else brought an earlier file" in said[colleague]
    assert "Everybody stays in the part of region" in said[owner]
    versioned(owner, first, as_file(BOTH[:-1]), SPECS)
    assert apart(first)
