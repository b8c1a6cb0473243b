"""The installation's private checkpoint key, and the name that it signs under.

The key comes from DPGOV_CHECKPOINT_KEY, or from the file that DPGOV_CHECKPOINT_KEY_FILE names; in
the embedded profile that file is made once. Only who makes checkpoints reads it: the sweeper and
the commands. Must never be shown, logged or stored in the database.
"""

from pathlib import Path
from uuid import UUID

from django.conf import settings

from dpgov.audit.files import write_once
from dpgov.audit.keys.note import PublicKey, new_seed, public_key
from dpgov.audit.outside import known_keys


class KeyIsInTheEnvironment(RuntimeError):
    """The key comes from DPGOV_CHECKPOINT_KEY, which no command can replace."""


def signing_seed() -> str:
    """The private key: read anew each time, so that a rotation needs no restart."""
    if settings.DPGOV_CHECKPOINT_KEY:
        return str(settings.DPGOV_CHECKPOINT_KEY).strip()
    path = settings.DPGOV_CHECKPOINT_KEY_FILE
    if not path.exists():
        write_once(path, f"{new_seed()}\n")
    return str(path.read_text()).strip()


def next_seed() -> str:
    """The key that shall follow, made once and kept beside the one in use until `adopt_next`.

    Raises KeyIsInTheEnvironment.
    """
    if settings.DPGOV_CHECKPOINT_KEY:
        raise KeyIsInTheEnvironment(
            "The key comes from DPGOV_CHECKPOINT_KEY, where no command can change it. Write it "
            "to a file, name that in DPGOV_CHECKPOINT_KEY_FILE, and rotate then."
        )
    write_once(_next_file(), f"{new_seed()}\n")
    return _next_file().read_text().strip()


def adopt_next() -> None:
    """Sign with the next key from now on. The old one is gone: nobody shall use it again."""
    _next_file().replace(settings.DPGOV_CHECKPOINT_KEY_FILE)


def _next_file() -> Path:
    path: Path = settings.DPGOV_CHECKPOINT_KEY_FILE
    return path.with_name(f"{path.name}.next")


def origin_of(tenant_id: UUID) -> str:
    """The name of the tenant's log, as its newest believed key has it.

    It never changes once a checkpoint was signed under it, whatever the setting is since.
    """
    if known := known_keys(tenant_id):
        return known[-1].name
    return f"{settings.DPGOV_CHECKPOINT_ORIGIN}/{tenant_id}"


def signing_key(tenant_id: UUID) -> PublicKey:
    """The public half of the key in use, under the name of the tenant's log."""
    return public_key(seed=signing_seed(), name=origin_of(tenant_id))
