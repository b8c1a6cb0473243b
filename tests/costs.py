"""What tests cost in processor time, theirs and that of every process they start.

`uv run pytest --profile=sqlite -p tests.costs [paths]` prints the most expensive fixtures, files
and tests, of all processes that `-n` starts. Processor time does not depend on what else a machine
does.
"""

import os
import resource
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

_TICKS = os.sysconf("SC_CLK_TCK")
_SHOWN = 60
_tests: defaultdict[str, float] = defaultdict(float)
_fixtures: defaultdict[str, float] = defaultdict(float)
_inner = [0.0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool | None, bool | None]:
    before = _spent()
    ended = yield
    _tests[item.nodeid] += _spent() - before
    return ended


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
    """Setting up alone, without the fixtures that it asks for meanwhile."""
    before = _spent()
    _inner.append(0.0)
    try:
        return (yield)
    finally:
        cost = _spent() - before
        _fixtures[f"{fixturedef.baseid}::{fixturedef.argname}"] += cost - _inner.pop()
        _inner[-1] += cost


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A process of xdist sends what it counted to the one that prints."""
    if (told := getattr(session.config, "workeroutput", None)) is not None:
        told["costs"] = (dict(_tests), dict(_fixtures))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    for counted, costs in zip((_tests, _fixtures), node.workeroutput["costs"], strict=True):
        for name, cost in costs.items():
            counted[name] += cost


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    files: defaultdict[str, float] = defaultdict(float)
    folders: defaultdict[str, float] = defaultdict(float)
    for name, cost in _tests.items():
        file = name.split("::")[0]
        files[file] += cost
        folders[str(Path(file).parent)] += cost
    _show(terminalreporter, "folders", folders)
    _show(terminalreporter, "files", files)
    _show(terminalreporter, "tests", _tests)
    _show(terminalreporter, "fixtures", _fixtures)


def _show(reporter: pytest.TerminalReporter, title: str, costs: dict[str, float]) -> None:
    reporter.section(f"processor seconds of {title}: {sum(costs.values()):.0f}")
    for name in sorted(costs, key=lambda name: -costs[name])[:_SHOWN]:
        reporter.write_line(f"{costs[name]:8.2f} {name}")


def _spent() -> float:
    """Of this process, of those that it waited for, and of those that still run below it."""
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in own) + sum(
        _of_tree(pid) for pid in _children(os.getpid())
    )


def _of_tree(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0
    times = text.rpartition(")")[2].split()[11:15]
    return sum(map(int, times)) / _TICKS + sum(_of_tree(child) for child in _children(pid))


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    except OSError:
        pass
    return found
