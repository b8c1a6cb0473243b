"""Checks one receipt, or one proof of consistency, with nothing but public keys.

Pure, like the verifier it belongs to: no Django, no database. A receipt holds the entry that
recorded a release, byte for byte as it was hashed, and its path to a signed checkpoint.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from dpgov.audit.actions import RELEASING
from dpgov.audit.entry import leaf_hash
from dpgov.audit.keys.note import NotSigned, PublicKey, UnreadableNote, opened, parse_checkpoint
from dpgov.audit.tree import verify_consistency, verify_inclusion
from dpgov.language.said import said

RECEIPT, CONSISTENCY = "dpgov-receipt-v1", "dpgov-consistency-v1"


class UnreadableProof(ValueError):
    """The file is not a receipt or proof of a form that this version knows."""


def parse_proof(text: str, kind: str) -> dict[str, Any]:
    """The proof as a dictionary; raises UnreadableProof."""
    try:
        proof = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableProof("The file is not JSON.") from error
    if not isinstance(proof, dict) or proof.get("format") != kind:
        raise UnreadableProof(f"The file is not a proof of the form {kind}.")
    return proof


def receipt_problems(
    receipt: Mapping[str, Any],
    *,
    keys: Iterable[PublicKey] | None,
    release: bytes | None = None,
) -> list[str]:
    """What is wrong with a receipt; nothing when it holds. Without keys nobody's signature counts.

    With `release`, the bytes of the released answer, they must be those that were recorded.
    """
    if not receipt.get("complete"):
        return [why_incomplete(receipt)]
    try:
        return [
            *_signature_problems(receipt["checkpoint"], keys),
            *_entry_problems(receipt),
            *_path_problems(receipt),
            *_release_problems(receipt, release),
        ]
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        return [f"The receipt is malformed: {type(error).__name__}: {error}."]


def why_incomplete(receipt: Mapping[str, Any]) -> str:
    """What a receipt without a proof says about that, if it is a text."""
    message = receipt.get("message")
    return message if message and isinstance(message, str) else "The receipt holds no proof yet."


def _signature_problems(note: str, keys: Iterable[PublicKey] | None) -> list[str]:
    if keys is None:
        return []
    try:
        opened(note, keys)
    except (NotSigned, UnreadableNote) as refusal:
        return [said("The checkpoint proves nothing: {why}.", why=refusal.args[0])]
    return []


def _entry_problems(receipt: Mapping[str, Any]) -> list[str]:
    entry = json.loads(receipt["entry"])
    recorded = json.loads(entry["detail"]).get("release_sha256")
    origin = parse_checkpoint(receipt["checkpoint"]).origin
    checks = {
        "The entry does not record a release.": entry["action"] in RELEASING,
        "The entry is about another question.": entry["subject"] == f"query:{receipt['query']}",
        "The entry records another answer.": recorded == receipt["release_sha256"],
        "The entry has another number.": entry["sequence"] == receipt["leaf_index"] + 1,
        "The entry is of another tenant's log.": origin.endswith(f"/{entry['tenant_id']}"),
    }
    return [problem for problem, holds in checks.items() if not holds]


def _path_problems(receipt: Mapping[str, Any]) -> list[str]:
    checkpoint = parse_checkpoint(receipt["checkpoint"])
    included = receipt["tree_size"] == checkpoint.size and verify_inclusion(
        leaf=leaf_hash(receipt["entry"].encode()),
        index=receipt["leaf_index"],
        size=checkpoint.size,
        path=[bytes.fromhex(part) for part in receipt["audit_path"]],
        root=checkpoint.root,
    )
    return [] if included else ["The entry is not in the log that the checkpoint was signed over."]


def _release_problems(receipt: Mapping[str, Any], release: bytes | None) -> list[str]:
    if release is None or hashlib.sha256(release).hexdigest() == receipt["release_sha256"]:
        return []
    return ["The file is not the released answer, or it was changed."]


def consistency_problems(
    proof: Mapping[str, Any], *, keys: Iterable[PublicKey] | None
) -> list[str]:
    """What is wrong with a proof that one checkpoint's log extends another's."""
    keys = None if keys is None else list(keys)
    try:
        notes = (proof["old_checkpoint"], proof["new_checkpoint"])
        problems = [p for note in notes for p in _signature_problems(note, keys)]
        old, new = map(parse_checkpoint, notes)
        path = [bytes.fromhex(part) for part in proof["path"]]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        return [said("The proof is malformed: {what}.", what=what)]
    if old.origin != new.origin:
        problems.append(said("The two checkpoints are of different logs."))
    if not verify_consistency(
        old=old.size, new=new.size, old_root=old.root, new_root=new.root, path=path
    ):
        problems.append(said("The newer log does not contain the older one: history was changed."))
    return problems
