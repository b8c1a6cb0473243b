"""Who did it: a value that the log can keep without knowing any other room."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """A person (`user`) or the software itself (`system`); `label` is what a reader sees."""

    kind: str
    id: str
    label: str


WORKER = Actor(kind="system", id="worker", label="worker")
SWEEPER = Actor(kind="system", id="sweeper", label="sweeper")
OPERATOR = Actor(kind="system", id="operator", label="command line")
