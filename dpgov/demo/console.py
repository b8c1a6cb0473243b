"""What the command says, and where everything else goes that this process has to say."""

import logging
from collections.abc import Callable
from pathlib import Path

from dpgov.demo.people import Person

Say = Callable[[str], object]


def log_to(path: Path) -> None:
    """Warnings and log lines of the libraries into a file: the console is for people."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    logging.captureWarnings(True)
    for logger in (logging.getLogger(), *map(logging.getLogger, logging.root.manager.loggerDict)):
        for handler in logger.handlers:
            if isinstance(handler, logging.StreamHandler):
                handler.setStream(path.open("a"))


def say_who(say: Say, people: tuple[Person, ...]) -> None:
    """A line for each of them."""
    for person in people:
        say(f"  {person.email:<30}{person.role.label:<20}{person.tenant}")


def say_where(say: Say, url: str, people: tuple[Person, ...], password: str, logs: Path) -> None:
    """Where to look, and as whom."""
    say(f"\ndpgov runs at {url}   (Ctrl-C stops it)\n")
    say_who(say, people)
    say(f"\n  password of each: {password}")
    say(f"  logs: {logs}\n")
