"""How the suite itself runs: what which run leaves out, what stays together, what no test does."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from tests.both_profiles import (
    ALIKE_AS_A_RULE,
    ALIKE_EVERYWHERE,
    ASKED_ON_POSTGRESQL,
    _command,
    _without,
)
from tests.examples import ALL, EVERY_DAY, examples
from tests.house import tree
from tests.profile import PROFILES, WHOLE
from tests.tables import begin_with_them
from tests.thorough import THOROUGH
from tests.together import AS_ONE, Together

_TESTS = Path(__file__).resolve().parents[1]
_SCHEDULER = object.__new__(Together)


_KEPT = (
    "integration/audit",
    "integration/budgets",
    "integration/queries/answering/test_lease.py",
    "journeys/test_main_job.py",
)
# And these where the database has guards of its own.
_KEPT_BEHIND_THE_WALL = (
    "integration/access/test_answers_fit_the_schema.py",
    "integration/access/test_every_write.py",
    "integration/tenants",
)


def _left_out(name: str, folders: tuple[str, ...]) -> bool:
    return any((_TESTS / name).is_relative_to(_TESTS / folder) for folder in folders)


def test_what_a_run_leaves_out_is_there() -> None:
    """A name that nothing has leaves nothing out, and nobody would notice."""
    named = (*ALIKE_EVERYWHERE, *ALIKE_AS_A_RULE, *ASKED_ON_POSTGRESQL, *THOROUGH)
    assert [name for name in named if not _is_there(*name.split("::"))] == []
    assert [name for name in ALIKE_AS_A_RULE if _left_out(name, ALIKE_EVERYWHERE)] == []


def _is_there(name: str, test: str = "") -> bool:
    path = _TESTS / name
    return path.exists() and (not test or f"def {test.partition('[')[0]}(" in path.read_text())


@pytest.mark.parametrize(
    ("profile", "left_out"), [("sqlite", THOROUGH), ("postgresql", (*THOROUGH, *ALIKE_AS_A_RULE))]
)
def test_a_single_test_can_be_left_out_and_leaves_the_others_of_its_file(
    profile: str, left_out: tuple[str, ...]
) -> None:
    single = [f"--deselect=tests/{name}" for name in left_out if "::" in name]
    options = _command(profile, [])
    assert single
    assert [option for option in options if option.startswith("--deselect")] == single
    files = {name.partition("::")[0] for name in left_out if "::" in name} - set(left_out)
    assert not {f"--ignore={_TESTS / file}" for file in files} & set(options)


def test_every_run_of_each_profile_keeps_the_ledger_the_wall_and_a_journey() -> None:
    """And what one profile is not asked every day because the other one is, that one is asked."""
    left_out = (*ALIKE_EVERYWHERE, *ALIKE_AS_A_RULE, *THOROUGH)
    assert [name for name in ASKED_ON_POSTGRESQL if _left_out(name, left_out)] == []
    assert set(_KEPT_BEHIND_THE_WALL) <= set(ASKED_ON_POSTGRESQL)
    assert [name for name in _KEPT if not (_TESTS / name).exists()] == []
    assert [name for name in _KEPT if _left_out(name, left_out)] == []


def test_a_whole_run_has_everything_that_is_not_alike_on_both() -> None:
    for profile, alike in (("sqlite", ()), ("postgresql", ALIKE_EVERYWHERE)):
        command = _command(profile, [WHOLE])
        assert not set(map(_without, THOROUGH)) - set(map(_without, alike)) & set(command)
        assert [name for name in command if name.startswith("--ignore")] == [
            f"--ignore={_TESTS / name}" for name in alike
        ]


@pytest.mark.parametrize("profile", ["sqlite", "postgresql"])
def test_a_path_that_is_named_runs_all_that_it_holds(profile: str) -> None:
    named = _command(profile, ["tests/statistical"])
    assert named[3:] == [f"--profile={profile}", "tests/statistical"]


def test_every_day_each_test_has_a_share_of_its_examples_and_in_a_whole_run_all() -> None:
    """A named path has all as well: the profile is asked for by the everyday run alone."""
    every_day = f"--hypothesis-profile={EVERY_DAY}"
    assert all(every_day in _command(profile, []) for profile in PROFILES)
    for arguments in ([WHOLE], ["tests/unit"]):
        assert not [part for part in _command("sqlite", arguments) if "hypothesis" in part]
    asked = (1, 3, 60, 150)
    assert [_made(ALL, count) for count in asked] == list(asked)
    assert [_made(EVERY_DAY, count) for count in asked] == [1, 1, 8, 18]


def _made(profile: str, count: int) -> int:
    before = settings.get_current_profile_name()
    settings.load_profile(profile)
    try:
        return examples(count).max_examples
    finally:
        settings.load_profile(before)


def test_one_place_alone_says_how_many_examples_are_made() -> None:
    """A test that set the number by itself would make all of them every day."""
    saying = {
        tree.name(path)
        for path, module in tree.python("tests")
        for node in ast.walk(module)
        if isinstance(node, ast.keyword) and node.arg == "max_examples"
    }
    assert saying == {"tests/examples.py"}


@pytest.mark.parametrize("folder", AS_ONE)
def test_journeys_and_the_house_are_handed_out_as_one_and_modules_whole(folder: str) -> None:
    """Else each process would start the product and a browser, or parse all of the code."""
    together = [f"{folder}{name}::test_it" for name in ("test_one.py", "tasks/test_two.py")]
    modules = [f"tests/unit/{name}::test_it[a::b]" for name in ("test_one.py", "test_two.py")]
    assert len({_SCHEDULER._split_scope(name) for name in together}) == 1
    assert all((_TESTS.parent / name).is_dir() for name in AS_ONE)
    assert len({_SCHEDULER._split_scope(name) for name in modules}) == 2


def test_a_product_outside_of_a_run_makes_its_own_tables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Scripts of `bench/` start one, and share no folder with anybody."""
    for name in ("DPGOV_TESTS_ROOT", "DPGOV_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    begin_with_them(tmp_path / "state")
    assert not (tmp_path / "state").exists()


_LEAVES_OUT = {"skip", "skipif", "skipIf", "skipUnless", "SkipTest", "xfail", "importorskip"}
_SLEEPS = {"sleep", "wait_for_timeout", "within"}
_CLOCKS = {"monotonic", "perf_counter", "time", "now"}
# Who waits for something says `until` of `tests.servers.waiting`. These are slow on purpose, have a
# rhythm, or go on another way once a time is over.
_MAY_WAIT = {
    "tests/integration/datasets/arrivals/test_real_reader.py": "else its reader is let go on",
    "tests/integration/notices/test_slow_servers.py": "a server that drips until its test is over",
    "tests/integration/operation/hungry.py": "a question that never ends, in a process of its own",
    "tests/integration/operation/test_outages.py": "an outage lasts, and connections keep breaking",
    "tests/integration/operation/test_stopping.py": "what waits is the product, a millisecond",
    "tests/integration/queries/answering/slow.py": "an answer that takes long, as of the hungry",
    "tests/integration/queries/answering/test_chaos.py": "half a minute of blows, in a rhythm",
    "tests/integration/queries/answering/test_heartbeat.py": "a clock that a test sets",
    "tests/journeys/asking/test_sql_editor.py": "a list takes no key for a moment, and shows none",
    "tests/journeys/standing_still.py": "else the workers are let on, and stopped again",
    "tests/servers/loopback.py": "else a server that was asked to end is killed",
    "tests/servers/waiting.py": "the one way",
}
# Calls that fail where something is not as it should be.
_SAYS = {
    *("raises", "fail", "expect", "validate", "validate_response", "check_schema"),
    *("django_assert_num_queries", "django_assert_max_num_queries", "run_state_machine_as_test"),
    *("finish", "until"),  # of a tutorial: all that it says was done; of what is waited for
}


def test_no_test_is_left_out_or_sleeps() -> None:
    found = [(tree.name(path), _word(node)) for path, node in _nodes()]
    assert {name for name, word in found if word in _LEAVES_OUT} == set()
    assert {tree.name(path) for path, node in _nodes() if _waits(node)} == set(_MAY_WAIT)


@pytest.mark.parametrize(
    ("line", "waits"),
    [
        ("time.sleep(1)", True),
        ("Event().wait(0.2)", True),
        ("pause.wait(timeout=A_SECOND)", True),
        ("within(3, lambda: False)", True),
        ("while time.monotonic() < end:\n    look()", True),
        ("process.wait()", False),
        ("process.wait(PATIENCE)", False),
        ("while look():\n    pass", False),
    ],
)
def test_a_pause_is_seen_whatever_it_hides_in(line: str, waits: bool) -> None:
    """In an event that nobody sets, or in a loop that looks at a clock."""
    assert any(map(_waits, ast.walk(ast.parse(line)))) is waits


def _waits(node: ast.AST) -> bool:
    """For a time, and not for something that must come before the patience of all is over."""
    if isinstance(node, ast.While):
        calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
        return any(_word(call.func) in _CLOCKS for call in calls)
    if not isinstance(node, ast.Call):
        return False
    told = [*node.args, *(keyword.value for keyword in node.keywords)]
    timed = [_word(value) for value in told] not in ([], ["PATIENCE"])
    return _word(node.func) in _SLEEPS or (_word(node.func) == "wait" and timed)


# Each asserts before it returns, and a shorter thing than below.
_MAY_END_EARLY = {
    "test_a_mark_alone_moves_no_clock_of_a_database_server": "a server's clock is refused",
    "test_an_address_that_a_member_confirmed_is_no_second_person": "who is known is not invited",
    "test_bins_take_every_date_once_whatever_was_declared": "two periods that are one, by chance",
    "test_no_ratio_passes_the_bounds_that_follow_from_its_columns": "a division by nothing",
}


def test_no_test_returns_before_its_end_where_it_has_nothing_to_say() -> None:
    """What is of one profile's servers is marked `production` or `embedded`, and not run elsewhere.

    Else it would pass there, whatever the product does.
    """
    early = {
        node.name
        for path, node in _nodes()
        if isinstance(node, ast.FunctionDef)
        and path.name.startswith("test_")
        and node.name.startswith("test_")
        and any(isinstance(step, ast.If) and _returns(step) for step in node.body)
    }
    assert early == set(_MAY_END_EARLY)


def _returns(step: ast.If) -> bool:
    return isinstance(step.body[-1], ast.Return) or any(
        isinstance(other, ast.Return) for other in step.orelse
    )


def _nodes() -> Iterator[tuple[Path, ast.AST]]:
    return ((path, node) for path, module in tree.python("tests") for node in ast.walk(module))


def _word(node: ast.AST) -> str:
    """The last word of a name, like `skip` of `pytest.mark.skip`."""
    return str(getattr(node, "attr", "") or getattr(node, "id", ""))


def test_every_test_asserts_something() -> None:
    """By itself, or by a function of its own module or of one that it imports."""
    silent = [
        f"{tree.name(path)}::{name}"
        for path, _ in tree.python("tests")
        if path.name.startswith("test_")
        for name in _functions(path)
        if name.startswith("test_") and not _asserts(path, name)
    ]
    assert silent == []


@cache
def _functions(path: Path) -> dict[str, ast.FunctionDef]:
    return {n.name: n for n in ast.walk(tree.parsed(path)) if isinstance(n, ast.FunctionDef)}


@cache
def _imported(path: Path) -> dict[str, tuple[Path, str]]:
    """What a module imports of the tests: where it is made, and under which name.

    What stands in a module that is imported whole is called by its name there.
    """
    made: dict[str, tuple[Path, str]] = {}
    for node in (n for n in ast.walk(tree.parsed(path)) if isinstance(n, ast.ImportFrom)):
        source = tree.ROOT / (node.module or "").replace(".", "/")
        for alias in node.names:
            whole = source / f"{alias.name}.py"
            if whole.is_file():
                made |= {name: (whole, name) for name in _functions(whole)}
            elif source.with_suffix(".py").is_file():
                made[alias.asname or alias.name] = (source.with_suffix(".py"), alias.name)
    return made


def _asserts(path: Path, name: str, seen: frozenset[tuple[Path, str]] = frozenset()) -> bool:
    if (path, name) in seen:
        return False
    if name not in _functions(path):
        made = _imported(path).get(name)
        return made is not None and _asserts(*made, seen | {(path, name)})
    parts = list(ast.walk(_functions(path)[name]))
    called = {_word(part.func) for part in parts if isinstance(part, ast.Call)}
    return (
        any(isinstance(part, ast.Assert) for part in parts)
        or not called.isdisjoint(_SAYS)
        or any(_asserts(path, each, seen | {(path, name)}) for each in called)
    )
