"""A file tells one story, a function does one thing, and neither grows unnoticed."""

import ast
from collections import Counter
from statistics import median

from tests.house import tree

LONGEST_FILE = 450
# Longer than this is looked at twice: why it tells one story stands beside its name.
LONG_FILE = 300
LOOKED_AT_TWICE: dict[str, str] = {
    "dpgov/privacy/plan/statistics.py": "one table, which grows by a line for each statistic",
}
LONGEST_FUNCTION = 70
LONGEST_TEMPLATE = 150
WIDEST_TEMPLATE = 120
FULLEST_FOLDER = 25


def test_python_files_are_short_or_looked_at_twice() -> None:
    lengths = {
        tree.name(path): _lines(path.read_text())
        for path in tree.files(".py")
        if path.parent.name != "migrations"
    }
    print(f"\nmedian file: {median(lengths.values())} lines of {len(lengths)} files")
    assert {name: n for name, n in lengths.items() if n > LONGEST_FILE} == {}
    assert {name for name, n in lengths.items() if n > LONG_FILE} == set(LOOKED_AT_TWICE)


def test_no_folder_holds_more_than_25_files() -> None:
    kept = [
        p for kind in (".py", ".html") for p in tree.files(kind) if p.parent.name != "migrations"
    ]
    ours = [p for p in kept if tree.name(p).startswith(("dpgov/", "templates/", "tests/"))]
    full = Counter((tree.name(path.parent), path.suffix) for path in ours)
    assert {folder: n for folder, n in full.items() if n > FULLEST_FOLDER} == {}


def test_no_function_is_longer_than_70_lines() -> None:
    lengths = {
        f"{tree.name(path)}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path, module in tree.python()
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    print(f"\nmedian function: {median(lengths.values())} lines of {len(lengths)} functions")
    assert {name: n for name, n in lengths.items() if n > LONGEST_FUNCTION} == {}


def test_no_template_is_longer_than_150_lines() -> None:
    lengths = {tree.name(path): _lines(path.read_text()) for path in tree.files(".html")}
    print(f"\nmedian template: {median(lengths.values())} lines of {len(lengths)} templates")
    assert {name: n for name, n in lengths.items() if n > LONGEST_TEMPLATE} == {}


def test_no_line_of_a_template_is_wider_than_120_columns() -> None:
    """Django's tags cannot span lines: long sentences and conditions stand around them."""
    wide = [
        f"{tree.name(path)}:{number}"
        for path in tree.files(".html")
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > WIDEST_TEMPLATE
    ]
    assert wide == []


def test_our_own_scripts_and_styles_stay_within_300_lines() -> None:
    own = [p for p in tree.files(".js", ".css") if "vendor" not in p.parts]
    lengths = {tree.name(p): _lines(p.read_text()) for p in own}
    assert {name: n for name, n in lengths.items() if n > LONG_FILE} == {}


def _lines(text: str) -> int:
    return text.count("\n")
