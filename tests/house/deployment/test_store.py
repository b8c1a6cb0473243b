"""Object storage in the files of an installation: each process gets its keys, none is written."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.house import settings_read, tree
from tests.house.deployment.test_units import OURS

SECRETS = {"store_key", "store_access_key", "store_secret_key"}
OVERLAY = tree.ROOT / "docker/compose.store.yaml"
DROP_IN = tree.ROOT / "docker/systemd/store.conf"
WRAPPER = tree.ROOT / "docker/debian/dpgov"


def _overlay() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(OVERLAY.read_text())
    return found


def _variable(secret: str) -> str:
    return f"DPGOV_{secret.upper()}"


def test_every_unit_gets_the_keys_of_the_storage_as_credentials() -> None:
    """M57: by one file for all units of ours, those of joint answers too."""
    text = DROP_IN.read_text()
    loaded = dict(re.findall(r"^LoadCredential=(\w+):(\S+)$", text, re.MULTILINE))
    assert loaded == {name: f"/etc/dpgov/{name}" for name in SECRETS}
    given = dict(re.findall(r"^Environment=(\w+)=(\S+)$", text, re.MULTILINE))
    assert given == {f"{_variable(name)}_FILE": f"%d/{name}" for name in SECRETS}
    assert set(given) <= settings_read.names()
    units = [path.name for path in (tree.ROOT / "docker/systemd").glob("*.service")]
    assert len(units) == len(OURS)
    assert all(name.startswith("dpgov-") for name in units), "the drop-in is for this prefix"
    assert "dpgov-.service.d/store.conf" in (tree.ROOT / "docker/debian/install.sh").read_text()


def test_every_container_gets_the_keys_of_the_storage_as_secrets() -> None:
    """M57"""
    overlay = _overlay()
    assert set(overlay["services"]) == set(OURS)
    assert set(overlay["secrets"]) == SECRETS
    for name, service in overlay["services"].items():
        assert set(service["secrets"]) == SECRETS, name
        assert set(service["environment"]) <= settings_read.names(), name
        for secret in SECRETS:
            given = service["environment"][f"{_variable(secret)}_FILE"]
            assert given == f"/run/secrets/{secret}", name
    out = {name for name, one in overlay["services"].items() if "networks" in one}
    assert out == {"worker", "reader"}, "the others have a way to it, or need none"


def test_the_overlay_is_what_the_specification_allows() -> None:
    command = Path(sys.executable).parent / "check-jsonschema"
    arguments = [str(command), "--builtin-schema", "vendor.compose-spec", str(OVERLAY)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_commands_get_them_too_and_an_operator_is_told_where_they_come_from() -> None:
    """M57: a key that is made anew would open nothing, and recognise nobody."""
    wrapper = WRAPPER.read_text()
    told = (tree.ROOT / "docs/deployment.md").read_text().split("## Files in object storage\n")[1]
    for name in SECRETS:
        assert f"secret {_variable(name)} {name}\n" in wrapper
        assert f"`{name}`" in told
