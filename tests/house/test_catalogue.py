"""The catalogue of attacks and faults names tests that exist and that name it back."""

import ast
import re
from functools import cache

from tests.house import tree

_IDS = re.compile(r"\s*([A-M]\d{1,3}(?:(?:, | and )[A-M]\d{1,3})*)\b")
_ROW = re.compile(r"^\| ([A-M]\d{1,3}) \| .+ \| (.+) \|$", re.MULTILINE)


def test_every_line_names_tests_that_cite_it() -> None:
    cited = _citations()
    for identifier, files in _rows().items():
        assert files, f"{identifier} has no test"
        for file in files:
            assert identifier in cited.get(f"tests/{file}", set()), f"{file} is no test of it"


def test_every_cited_line_is_in_the_catalogue() -> None:
    cited = set().union(*_citations().values())
    assert cited - set(_rows()) == set()


def _rows() -> dict[str, list[str]]:
    text = (tree.ROOT / "docs/catalogue.md").read_text()
    return {identifier: re.findall(r"`([^`]+)`", files) for identifier, files in _ROW.findall(text)}


@cache
def _citations() -> dict[str, set[str]]:
    """Identifiers at the beginning of docstrings, by file."""
    found: dict[str, set[str]] = {}
    for path, module in tree.python("tests"):
        nodes = [n for n in ast.walk(module) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
        for text in [ast.get_docstring(module), *(ast.get_docstring(node) for node in nodes)]:
            if start := _IDS.match(text or ""):
                found.setdefault(tree.name(path), set()).update(re.split(", | and ", start[1]))
    return found
