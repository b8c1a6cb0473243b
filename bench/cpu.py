"""Processor time: what a charge costs, however many others use the machine."""

import os
from dataclasses import dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Spent:
    """Processor seconds of the clients and of the database server."""

    client: float
    server: float

    def __sub__(self, before: "Spent") -> "Spent":
        return Spent(self.client - before.client, self.server - before.server)


def spent(postmaster: int) -> Spent:
    """Up to now, of children that have ended: call it when clients and their backends are gone."""
    times = os.times()
    fields = Path(f"/proc/{postmaster}/stat").read_text().rsplit(")", 1)[1].split()
    server = sum(int(ticks) for ticks in fields[11:15]) / _TICK
    return Spent(times.children_user + times.children_system, server)


def postmaster_of(folder: Path) -> int:
    """The process id in the lock file of a data folder."""
    return int((folder / "postmaster.pid").read_text().split()[0])
