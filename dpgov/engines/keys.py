"""What is made of a secret key: keys of their own for each purpose, and texts that need the key."""

import hashlib

# Bytes of a word, in which servers hash.
_WORD = 8


def keyed(key: bytes, text: str) -> str:
    """32 hexadecimal digits that nobody without the key can compute."""
    return hashlib.blake2b(text.encode(), key=key, digest_size=16).hexdigest()


def derived(key: bytes, purpose: str) -> bytes:
    """Sixteen bytes of their own for each purpose."""
    return hashlib.blake2b(purpose.encode(), key=key, digest_size=16).digest()


def order_key(key: bytes) -> int:
    """For the hashes of 64 bits by which servers order a unit's rows: a signed word."""
    return int.from_bytes(derived(key, "order of rows")[:_WORD], signed=True)
