"""The canonical form of an entry and the hashes over it: the format that a verifier relies on.

Pure: the writer, the verifier and an export all use these functions and no others.
A leaf is hashed as in RFC 6962, section 2.1 (0x00 before the data, 0x01 before a node), so that
a hash tree over the same leaves can be added without touching what is stored.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

GENESIS = "0" * 64
_ENCODE = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
).encode


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """What one entry says. `at` is ISO 8601 in UTC with microseconds; `detail` canonical JSON."""

    tenant_id: str
    sequence: int
    at: str
    actor_kind: str
    actor_id: str
    actor_label: str
    action: str
    subject: str
    dataset: str
    detail: str

    def as_dict(self) -> dict[str, str | int]:
        """The facts by name: what is hashed and what an export holds."""
        return {name: getattr(self, name) for name in FACT_NAMES}


FACT_NAMES = tuple(EntryFacts.__slots__)
HASH_NAMES = ("previous_hash", "entry_hash")


def facts_of(values: Mapping[str, Any]) -> EntryFacts:
    """The facts among an entry's values, as stored or as exported, in the form that is hashed."""
    facts = {name: values[name] for name in FACT_NAMES}
    if isinstance(facts["at"], datetime):
        facts["at"] = iso(facts["at"])
    return EntryFacts(**{**facts, "tenant_id": str(facts["tenant_id"])})


def iso(moment: datetime) -> str:
    """The one text form of a moment: UTC, microseconds always written."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def canonical_json(value: Any) -> str:
    """One text for one value: sorted keys, no spaces, ASCII; NaN and infinities are refused."""
    return _ENCODE(value)


def leaf_hash(facts: EntryFacts) -> bytes:
    """SHA-256 of 0x00 and the canonical JSON of the entry."""
    return hashlib.sha256(b"\x00" + canonical_json(facts.as_dict()).encode()).digest()


def link_hash(previous: str, facts: EntryFacts) -> str:
    """The hex hash that ties an entry to the whole log before it: SHA-256(0x01, previous, leaf)."""
    return hashlib.sha256(b"\x01" + bytes.fromhex(previous) + leaf_hash(facts)).hexdigest()
