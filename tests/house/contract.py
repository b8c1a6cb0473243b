"""The house as `.importlinter` has it, for guards that must hold in every room."""

import configparser

from tests.house.tree import ROOT

_PATH = ROOT / ".importlinter"


def layers() -> list[list[str]]:
    """Layers of rooms, the lowest first; rooms of one layer know nothing of each other."""
    read = configparser.ConfigParser()
    read.read_string(_PATH.read_text())
    text = read["importlinter:contract:rooms"]["layers"]
    told = [line for line in text.splitlines() if line.strip()]
    return [[room.strip() for room in line.split("|")] for line in reversed(told)]


def rooms() -> list[str]:
    """Every room, the lowest first."""
    return [room for layer in layers() for room in layer]


def below(room: str) -> set[str]:
    """A room and everything that it may import."""
    found = {room}
    for layer in layers():
        if room in layer:
            break
        found |= set(layer)
    return found
