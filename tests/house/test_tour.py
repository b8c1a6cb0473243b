"""docs/tour.md is true: its functions are where it says, and each calls the next, as each stop."""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest

from tests.house import tree
from tests.house.tree import ROOT

TOUR = ROOT / "docs/tour.md"
_STOP = re.compile(r"^## \d+\. .*: `(?P<path>[^`]+)`\n\n(?P<chain>`.*`)$", re.MULTILINE)
# What is given to these is called by them: after a commit, or in a worker.
_CALL_LATER = {"on_commit"}
_SEND = {"apply_async"}


@dataclass(frozen=True)
class Stop:
    """A file, its chain, and what the caller of the chain's last function calls after it."""

    path: str
    chain: tuple[str, ...]
    then: tuple[str, ...]

    @property
    def module(self) -> ModuleType:
        return import_module(self.path.removesuffix(".py").replace("/", "."))

    def calls(self) -> list[tuple[str, str]]:
        """Who calls whom, as the tour tells it."""
        return [*pairwise(self.chain), *((self.chain[-2], name) for name in self.then)]

    def called_in(self, name: str) -> list[Any]:
        """What a function of this file calls, in this order: the objects themselves."""
        (function,) = [
            node
            for node in tree.parsed(ROOT / self.path).body
            if isinstance(node, ast.FunctionDef) and node.name == name
        ]
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        calls.sort(key=lambda node: (node.lineno, node.col_offset))
        return [found for call in calls for found in _called_by(call, self.module)]


def _called_by(call: ast.Call, module: ModuleType) -> Iterator[Any]:
    """None where it is no function that the module itself or a module that it imports has."""
    word = getattr(call.func, "attr", "")
    if word in _SEND and isinstance(call.func, ast.Attribute):
        yield _object(call.func.value, module)
    for expression in (call.func, *(call.args if word in _CALL_LATER else ())):
        yield _object(expression, module)


def _object(expression: ast.expr, module: ModuleType) -> Any:
    if isinstance(expression, ast.Name):
        return getattr(module, expression.id, None)
    if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
        return getattr(getattr(module, expression.value.id, None), expression.attr, None)
    return None


def stops() -> list[Stop]:
    """In the order of the tour."""
    found = []
    for stop in _STOP.finditer(TOUR.read_text()):
        chain, *then = stop["chain"].split(", then ")
        names = tuple(re.findall(r"`(\w+)`", chain))
        found.append(Stop(stop["path"], names, tuple(name.strip("`") for name in then)))
    return found


def _named(found: list[Any]) -> list[str]:
    return [getattr(one, "__name__", "") for one in found]


def test_the_tour_has_eight_stops() -> None:
    assert len(stops()) == 8
    assert TOUR.read_text().count(" → ") == sum(len(stop.chain) - 1 for stop in stops())


@pytest.mark.parametrize("stop", stops(), ids=lambda stop: stop.path)
def test_each_function_of_a_stop_is_there_and_calls_the_next(stop: Stop) -> None:
    """A call of that very function; a mention, or another's of its name, is none."""
    for name, following in stop.calls():
        assert following in _named(stop.called_in(name)), f"{stop.path}: {name}, {following}"


@pytest.mark.parametrize(
    "stop", [stop for stop in stops() if stop.then], ids=lambda stop: stop.path
)
def test_what_a_stop_says_is_called_then_is_called_then(stop: Stop) -> None:
    order = _named(stop.called_in(stop.chain[-2]))
    places = [order.index(name) for name in (stop.chain[-1], *stop.then)]
    assert places == sorted(places)


def test_each_stop_is_called_by_one_before_it() -> None:
    """By what the file there defines under that name. The last is led to by a row alone."""
    all_stops = stops()
    for place, there in enumerate(all_stops[1:-1], start=1):
        wanted = getattr(there.module, there.chain[0])
        calling = [
            here.path
            for here in all_stops[:place]
            for name, following in here.calls()
            if following == there.chain[0] and wanted in here.called_in(name)
        ]
        assert len(calling) == 1, there.path


def test_what_is_sealed_is_what_publishing_looks_for() -> None:
    """Nobody calls the last stop for an answer: it finds the row that the one before it left."""
    sealing, publishing = stops()[-2:]
    called = sealing.called_in(sealing.chain[-1])
    kept = called[_named(called).index("seal")]
    keeps = inspect.getmodule(kept)._keep  # type: ignore[union-attr]
    assert "_keep(" in inspect.getsource(kept)
    assert '"state": Query.State.SEALED' in inspect.getsource(keeps)
    assert "_due_in(" in inspect.getsource(publishing.module._publish_tenant)
    assert "_sealed_in(" in inspect.getsource(publishing.module._due_in)
    assert "state=Query.State.SEALED" in inspect.getsource(publishing.module._sealed_in)


def test_the_folders_that_the_tour_names_are_there() -> None:
    rooms = "dpgov|queries|privacy|budgets|approvals|notices"
    named = re.findall(rf"`((?:{rooms})/[\w./]+)`", TOUR.read_text())
    assert len(named) > 10
    places = [(ROOT / name, ROOT / "dpgov" / name) for name in named]
    assert [one for one, inside in places if not one.exists() and not inside.exists()] == []
