"""Where data files are kept, and the key that encrypts them. Part of the composition root.

Must never make a key for files that other machines have to read, nor speak in the clear unless the
operator says so.
"""

import hashlib
from typing import Any
from urllib.parse import urlsplit

from dpgov.configuration.reading import Environment, long_enough, secret_text

# Read only where a bucket is named, and right in every place.
_WITH_A_BUCKET = {
    "DPGOV_STORE_ENDPOINT",
    "DPGOV_STORE_REGION",
    "DPGOV_STORE_TLS",
    "DPGOV_STORE_CA_FILE",
    *("DPGOV_STORE_ACCESS_KEY", "DPGOV_STORE_ACCESS_KEY_FILE"),
    *("DPGOV_STORE_SECRET_KEY", "DPGOV_STORE_SECRET_KEY_FILE"),
    *("DPGOV_STORE_KEY", "DPGOV_STORE_KEY_FILE"),
}


class StoreNotDeclared(ValueError):
    """The variables of the storage contradict each other, or one is missing."""


def store_settings(env: Environment) -> dict[str, Any] | None:
    """What opens the bucket that DPGOV_STORE_URL names; None for the state folder.

    Raises StoreNotDeclared, WrongSetting.
    """
    url = env.str("DPGOV_STORE_URL", default="")
    env.known |= _WITH_A_BUCKET
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme != "s3" or not parts.hostname or parts.netloc != parts.hostname:
        raise StoreNotDeclared("DPGOV_STORE_URL must be like s3://bucket or s3://bucket/folder.")
    endpoint = env.str("DPGOV_STORE_ENDPOINT", default="")
    if "/" in endpoint:
        raise StoreNotDeclared("DPGOV_STORE_ENDPOINT is a host, with a port where it has one.")
    return {
        "bucket": parts.hostname,
        "folder": parts.path.strip("/"),
        "region": env.str("DPGOV_STORE_REGION", default="us-east-1"),
        "endpoint": endpoint,
        "tls": env.bool("DPGOV_STORE_TLS", default=True),
        "ca_file": env.str("DPGOV_STORE_CA_FILE", default=""),
        "access_key": _given("DPGOV_STORE_ACCESS_KEY", secret_text(env, "DPGOV_STORE_ACCESS_KEY")),
        "secret_key": _given("DPGOV_STORE_SECRET_KEY", secret_text(env, "DPGOV_STORE_SECRET_KEY")),
        "key": _key(_given("DPGOV_STORE_KEY", secret_text(env, "DPGOV_STORE_KEY"))),
    }


def _given(name: str, text: str) -> str:
    if not text:
        raise StoreNotDeclared(f"DPGOV_STORE_URL is set, so {name} or {name}_FILE must be, too.")
    return text


def _key(text: str) -> bytes:
    long_enough("DPGOV_STORE_KEY", text)
    return hashlib.blake2b(text.encode(), digest_size=32).digest()
