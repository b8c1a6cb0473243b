"""docs/tour.md is true: its files define its functions, and each calls the next."""

import ast
import re
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from tests.house.tree import ROOT

TOUR = ROOT / "docs/tour.md"
_STOP = re.compile(r"^## \d+\. .*: `(?P<path>[^`]+)`\n\n(?P<chain>`.*`)$", re.MULTILINE)


def stops() -> dict[str, list[str]]:
    """Each file with the functions of its chain."""
    return {
        stop["path"]: re.findall(r"`(\w+)`", stop["chain"])
        for stop in _STOP.finditer(TOUR.read_text())
    }


def called_in(function: ast.FunctionDef) -> set[str]:
    """Names that are called, passed on, or reached through a module."""
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    return names | {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}


def test_the_tour_has_eight_stops() -> None:
    assert len(stops()) == 8


@pytest.mark.parametrize("path", stops())
def test_each_function_of_a_stop_is_there_and_calls_the_next(path: str) -> None:
    module = ast.parse(Path(ROOT / path).read_text())
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    chain = stops()[path]
    for name, following in pairwise(chain):
        assert following in called_in(functions[name]), f"{path}: {name} does not call {following}"


def test_each_stop_leads_to_the_next_where_it_ends_in_it() -> None:
    """What it calls by that name is what the next file defines, and not something of its own."""
    led = [
        (here, there, chain[-1])
        for (here, chain), (there, following) in pairwise(stops().items())
        if chain[-1] == following[0]
    ]
    assert [name for _here, _there, name in led] == ["submit", "reserve", "answer_next", "draw"]
    for here, there, name in led:
        wanted = getattr(_module(there), name)
        known = vars(_module(here)).values()
        assert any(one is wanted or getattr(one, name, None) is wanted for one in known), here


def _module(path: str) -> ModuleType:
    return import_module(path.removesuffix(".py").replace("/", "."))


def test_the_folders_that_the_tour_names_are_there() -> None:
    rooms = "dpgov|queries|privacy|budgets|approvals|notices"
    named = re.findall(rf"`((?:{rooms})/[\w./]+)`", TOUR.read_text())
    assert len(named) > 10
    places = [(ROOT / name, ROOT / "dpgov" / name) for name in named]
    assert [one for one, inside in places if not one.exists() and not inside.exists()] == []
