"""G2: the hash tree against the published vectors and against the definition itself."""

import base64
import json
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpgov.audit.entry import leaf_hash
from dpgov.audit.tree import (
    EMPTY_ROOT,
    CompactRange,
    complete_root,
    consistency_proof,
    inclusion_proof,
    node_hash,
    root_at,
    verify_consistency,
    verify_inclusion,
)
from tests.unit.audit.roots import root_of

VECTORS = Path(__file__).parent / "vectors"
# The leaves and roots of the reference implementation (RFC 6962, Certificate Transparency).
LEAF_DATA = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657"]
LEAF_DATA.append("606162636465666768696a6b6c6d6e6f")
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
sizes = st.integers(min_value=1, max_value=600)
# A busy machine is no fault of the tree.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def cases(kind: str) -> list[Any]:
    found = json.loads((VECTORS / f"{kind}.json").read_text())
    return [pytest.param(case, id=case["desc"]) for case in found]


def raw(text: str | None) -> bytes:
    return base64.b64decode(text or "")


def hashes(case: dict[str, Any]) -> list[bytes]:
    return [raw(part) for part in case["proof"] or []]


@pytest.mark.parametrize("case", cases("inclusion"))
def test_inclusion_is_judged_as_by_the_reference(case: dict[str, Any]) -> None:
    """G2: the published vectors, good and bad."""
    holds = verify_inclusion(
        leaf=raw(case["leafHash"]),
        index=case["leafIdx"],
        size=case["treeSize"],
        path=hashes(case),
        root=raw(case["root"]),
    )
    assert holds == (not case["wantErr"])


@pytest.mark.parametrize("case", cases("consistency"))
def test_consistency_is_judged_as_by_the_reference(case: dict[str, Any]) -> None:
    """G2: the published vectors, good and bad."""
    holds = verify_consistency(
        old=case["size1"],
        new=case["size2"],
        old_root=raw(case["root1"]),
        new_root=raw(case["root2"]),
        path=hashes(case),
    )
    assert holds == (not case["wantErr"])


def test_roots_are_those_of_the_reference() -> None:
    """G2: every tree of the eight known leaves."""
    leaves = [leaf_hash(bytes.fromhex(data)) for data in LEAF_DATA]
    assert [root_of(leaves[:size]).hex() for size in range(9)] == ROOTS
    assert ROOTS[0] == EMPTY_ROOT.hex()


def leaves_of(size: int) -> list[bytes]:
    return [sha256(number.to_bytes(4)).digest() for number in range(size)]


def by_definition(leaves: list[bytes]) -> bytes:
    """RFC 6962, section 2.1, word for word."""
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256().digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node_hash(by_definition(leaves[:split]), by_definition(leaves[split:]))


def node_of(leaves: list[bytes]) -> Any:
    return lambda height, index: complete_root(leaves[index << height : (index + 1) << height])


@patient
@given(size=st.integers(0, 600), cuts=st.lists(st.integers(0, 600), max_size=5))
def test_a_tree_that_grows_in_any_steps_has_the_root_of_the_definition(
    size: int, cuts: list[int]
) -> None:
    """G2"""
    leaves, grown = leaves_of(size), CompactRange()
    places = [0, *sorted(min(cut, size) for cut in cuts), size]
    for start, stop in pairwise(places):
        grown.extend(leaves[start:stop])
    assert (grown.size, grown.root()) == (size, by_definition(leaves))
    assert root_at(size, node_of(leaves)) == by_definition(leaves)


@patient
@given(size=sizes, data=st.data())
def test_every_leaf_has_a_proof_that_fits_no_other_place(size: int, data: Any) -> None:
    """G2"""
    index = data.draw(st.integers(0, size - 1))
    other = data.draw(st.integers(0, size - 1))
    leaves = leaves_of(size)
    path = inclusion_proof(index, size, node_of(leaves))
    root = by_definition(leaves)
    for place in (index, other):
        holds = verify_inclusion(leaf=leaves[place], index=place, size=size, path=path, root=root)
        assert holds == (place == index)


@patient
@given(new=sizes, data=st.data())
def test_a_longer_log_is_proved_to_extend_a_shorter_one_and_no_other(new: int, data: Any) -> None:
    """G2, G3: also when one bit of the earlier log was different."""
    old = data.draw(st.integers(1, new))
    changed = data.draw(st.integers(0, old - 1))
    leaves = leaves_of(new)
    path = consistency_proof(old, new, node_of(leaves))
    roots = {"old_root": by_definition(leaves[:old]), "new_root": by_definition(leaves)}
    assert verify_consistency(old=old, new=new, path=path, **roots)
    rewritten = [*leaves]
    rewritten[changed] = sha256(b"rewritten").digest()
    forged = roots | {"new_root": by_definition(rewritten)}
    for proof in (path, consistency_proof(old, new, node_of(rewritten))):
        assert not verify_consistency(old=old, new=new, path=proof, **forged)


@pytest.mark.parametrize(("old", "new"), [(0, 5), (6, 5), (-1, 5)])
def test_there_is_no_proof_between_sizes_that_make_no_sense(old: int, new: int) -> None:
    with pytest.raises(ValueError, match="cannot extend"):
        consistency_proof(old, new, node_of(leaves_of(8)))


@pytest.mark.parametrize("index", [-1, 8])
def test_there_is_no_proof_for_a_leaf_that_is_not_there(index: int) -> None:
    with pytest.raises(ValueError, match="There is no leaf"):
        inclusion_proof(index, 8, node_of(leaves_of(8)))
