"""The canonical form of an entry and its leaf hash: the format that a verifier relies on.

Pure: the writer, the verifier and an export all use these functions and no others. An entry is
hashed as a leaf of RFC 6962, section 2.1: SHA-256 of 0x00 and its canonical JSON.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Fragments:
    """An entry's canonical JSON without its moment and number, which only the database knows.

    The keys are sorted, so the two stand at fixed places: before_at AT before_sequence N rest.
    """

    before_at: str
    before_sequence: str
    rest: str

    def line(self, *, at: str, sequence: int) -> bytes:
        """The whole canonical JSON."""
        return f"{self.before_at}{at}{self.before_sequence}{sequence}{self.rest}".encode("ascii")


def fragments(fields: Mapping[str, Any]) -> Fragments:
    """The fixed parts of the entry that says this; `at` and `sequence` are not looked at."""
    return Fragments(
        before_at=f'{{"action":{_quoted(fields["action"])},"actor_id":{_quoted(fields["actor_id"])}'
        f',"actor_kind":{_quoted(fields["actor_kind"])}'
        f',"actor_label":{_quoted(fields["actor_label"])},"at":"',
        before_sequence=f'","dataset":{_quoted(fields["dataset"])}'
        f',"detail":{_quoted(fields["detail"])},"sequence":',
        rest=f',"subject":{_quoted(fields["subject"])}'
        f',"tenant_id":{_quoted(str(fields["tenant_id"]))}}}',
    )


def line_of(values: Mapping[str, Any]) -> bytes:
    """The canonical JSON of an entry as stored: the bytes that are hashed and exported."""
    return fragments(values).line(at=iso(values["at"]), sequence=values["sequence"])


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


def leaf_hash(line: bytes) -> bytes:
    """SHA-256 of 0x00 and the canonical JSON of the entry (RFC 6962, section 2.1)."""
    return hashlib.sha256(b"\x00" + line).digest()
