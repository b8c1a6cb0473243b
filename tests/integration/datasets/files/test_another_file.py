"""L12: a version's place holds another data file, by a copy that went wrong: nobody reads it.

What could leak: rows of a colleague's dataset under another budget, for good where a new version or
a derived dataset is made of them; and a person in two parts of a partition, each charged alone.
"""

import shutil

import pytest

from dpgov.datasets import storage
from dpgov.datasets.models import Arrival, Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import (
    add_version,
    change_unit_bounds,
    is_another,
    receive_upload,
    sees,
)
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.eager import read_waiting
from tests.integration.datasets.derived.family import (
    COSTS,
    DAYS,
    PAID,
    VISITS,
    WARD,
    asked,
    parents,
    registered,
)
from tests.integration.datasets.quick import read_here
from tests.made_once import made_once

pytestmark = pytest.mark.django_db(transaction=True)
OTHERS = "id,days,ward\nq1,1,South\np1,9,South\nzz,9,South\n"


def lies_in_place_of(dataset: Dataset, other: Dataset) -> DatasetVersion:
    """The file of the other one lies where that of the dataset's newest version is looked for."""
    version = current_version(dataset)
    place = storage.data_path(version.pk)
    place.unlink()
    shutil.copy(storage.data_path(current_version(other).pk), place)
    assert is_another(version)
    assert not sees(version.pk, version.file_seal, version.fingerprint.key_id)
    return version


@made_once
def others(owner: Membership) -> Dataset:
    """A colleague's."""
    return registered(join(owner.tenant, Role.OWNER, "second"), "Others", OTHERS, (DAYS, WARD))


def adds(owner: Membership, dataset: Dataset, content: str, *, append_rows: bool) -> DatasetVersion:
    with read_here():
        upload = receive_upload(
            tenant=owner.tenant, uploader=owner.user, name="f.csv", chunks=[content.encode()]
        )
        return add_version(
            dataset=dataset,
            upload=upload,
            columns=(DAYS, WARD),
            user=owner.user,
            append_rows=append_rows,
        )


def test_no_rows_are_added_to_it(owner: Membership, others: Dataset) -> None:
    """L12: they would answer under this budget, with a seal of their own."""
    visits = registered(owner, "Visits", VISITS, (DAYS, WARD))
    lies_in_place_of(visits, others)
    with pytest.raises(InvalidDomain, match="not on this machine"):
        adds(owner, visits, "id,days,ward\np8,1,North\n", append_rows=True)
    assert visits.versions.count() == 1


def test_it_decides_in_which_part_nobody_lies(owner: Membership, others: Dataset) -> None:
    """L12, F5: p2 is in the North, and would be in the South too, with the discount going on."""
    visits = registered(owner, "Visits", VISITS, (DAYS, WARD), partition_column="ward")
    lies_in_place_of(visits, others)
    with pytest.raises(InvalidDomain, match="not on this machine"):
        adds(owner, visits, "id,days,ward\np2,4,South\np3,9,North\n", append_rows=False)
    assert visits.versions.count() == 1


def test_other_bounds_make_no_recorded_file_of_it(owner: Membership, others: Dataset) -> None:
    """L12: it was sealed anew, and every worker answered from it then."""
    visits = registered(owner, "Visits", VISITS, (DAYS, WARD))
    lies_in_place_of(visits, others)
    with pytest.raises(InvalidDomain, match="as it was recorded"):
        change_unit_bounds(dataset=visits, max_rows=1, max_groups=None, user=owner.user)
    assert visits.versions.count() == 1


def test_nothing_is_derived_from_it(owner: Membership, others: Dataset) -> None:
    """L12: in the words, and at the moment, of every derived dataset that could not be made."""
    visits, _ = parents(owner)
    lies_in_place_of(visits, others)
    arrival = asked(owner)
    read_waiting()
    arrival.refresh_from_db()
    assert (arrival.state, arrival.dataset) == (Arrival.State.REFUSED, None)
    assert "could not be put together" in str(arrival.outcome)


def test_the_very_file_is_never_another(owner: Membership) -> None:
    """L12: nor is it under a second name, with the seal that it had."""
    costs = registered(owner, "Costs", COSTS, (PAID, DAYS))
    assert not is_another(current_version(costs))
    bounded = change_unit_bounds(dataset=costs, max_rows=1, max_groups=None, user=owner.user)
    assert not is_another(bounded)
    assert bounded.file_seal == costs.versions.get(number=1).file_seal
