"""The blocks of docs/backup.md for Debian, with the places and the superuser of a test."""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult

from tests.house.tree import ROOT

_BLOCKS = re.findall(r"```sh\n(.*?)```", (ROOT / "docs/backup.md").read_text(), re.DOTALL)
_OF_CONTAINERS = [block for block in _BLOCKS if "docker compose" in block]
BACKUP, RESTORE, AFTERWARDS, MARK_ALL = [one for one in _BLOCKS if one not in _OF_CONTAINERS]
CONTAINERS = "".join(_OF_CONTAINERS)

# For the shell of the product: whose database it is, and whether it knows that it was restored.
MOVED = """
from dpgov.budgets.services.freezing import confirm_place, moved
from dpgov.tenants.crossing import tenants
print([one.slug for one in tenants()], moved())
"""


@dataclass(frozen=True)
class Places:
    """Where there is on this machine what the page names."""

    home: Path
    checkpoints: Path
    owner_password: Path
    server: SplitResult

    def run(self, commands: str, folder: Path) -> None:
        """What an operator types, as the superuser of the database that `su` would make of them."""
        here = commands.replace("/etc/dpgov/owner_password", str(self.owner_password))
        here = here.replace("/var/lib/dpgov-checkpoints", str(self.checkpoints))
        here = here.replace("/var/lib/dpgov", str(self.home))
        environment = {
            "PGHOST": "127.0.0.1",
            "PGPORT": str(self.server.port),
            **self._programs(folder),
        }
        done = subprocess.run(
            ["/bin/bash", "-euc", here],
            cwd=folder,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def _programs(self, folder: Path) -> Mapping[str, str]:
        """`su` and `systemctl`: neither is for a test."""
        programs = folder / "programs"
        programs.mkdir(exist_ok=True)
        admin = f"PGUSER=admin PGPASSWORD={self.server.password} PGDATABASE=postgres"
        for name, text in (("su", f'exec env {admin} sh -c "$4"'), ("systemctl", "exit 0")):
            (programs / name).write_text(f"#!/bin/sh\n{text}\n")
            (programs / name).chmod(0o755)
        return {"PATH": f"{programs}:{os.environ['PATH']}"}
