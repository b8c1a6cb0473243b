"""What is installed is used, and what is used is asked for, in ranges that the lock makes exact."""

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions, version
from typing import Any

import pytest

from tests.house import tree

READ: dict[str, Any] = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())
RUNTIME: list[str] = READ["project"]["dependencies"]
TOOLS: list[str] = READ["dependency-groups"]["dev"]
# What nothing of ours imports, and who does instead.
LOADED_BY = {
    "argon2-cffi": ("dpgov/settings.py", "Argon2PasswordHasher"),
    "django-stubs": ("pyproject.toml", "mypy_django_plugin"),
    "djangorestframework-stubs": ("pyproject.toml", "mypy_drf_plugin"),
    "pip-audit": ("CONTRIBUTING.md", "`uv run pip-audit`"),
    "check-jsonschema": ("tests/house/deployment/test_units.py", '_BIN / "check-jsonschema"'),
    "flask": ("pyproject.toml", "An S3 server in Python"),
    "flask-cors": ("pyproject.toml", "An S3 server in Python"),
}


def test_everything_installed_to_run_is_used_by_the_product() -> None:
    assert _unused(RUNTIME, _named_in("dpgov")) == []


def test_every_tool_is_used_by_tests_or_measurements() -> None:
    assert _unused(TOOLS, _named_in("tests") | _named_in("bench")) == []


@pytest.mark.parametrize("package", LOADED_BY)
def test_what_is_loaded_by_others_is_named_where_they_read_it(package: str) -> None:
    path, words = LOADED_BY[package]
    assert words in (tree.ROOT / path).read_text()
    assert package in map(_package, (*RUNTIME, *TOOLS))


def test_what_the_product_imports_is_asked_for_by_name() -> None:
    """Otherwise it would be there by the grace of another package."""
    found = packages_distributions()
    homes = {name: set(map(_normal, found.get(name, ()))) for name in _imported("dpgov")}
    asked = set(map(_package, RUNTIME))
    missing = {name for name, home in homes.items() if home and not home & asked}
    assert missing - OPTIONAL == set(COMES_WITH)


# A part of another package, so that no version of its own could be chosen.
COMES_WITH = {"kombu": "celery"}
# Of the group for Spark, where somebody installed it.
OPTIONAL = {"pyspark", "grpc"}


def test_the_product_asks_for_ranges_and_tools_are_exact() -> None:
    assert [one for one in RUNTIME if not re.fullmatch(r"[^<>=]+>=[\d.]+,<[\d.]+", one)] == []
    assert [one for one in TOOLS if not re.fullmatch(r"[^<>=]+==[\d.]+", one)] == []


def test_the_product_installs_no_tool_of_the_tests() -> None:
    assert set(map(_package, RUNTIME)) & set(map(_package, TOOLS)) == set()


def test_the_lock_has_one_version_of_each_and_is_what_is_installed() -> None:
    lock = tomllib.loads((tree.ROOT / "uv.lock").read_text())
    locked: dict[str, list[str]] = {}
    for one in lock["package"]:
        locked.setdefault(one["name"], []).append(one["version"])
    asked = list(map(_package, (*RUNTIME, *TOOLS)))
    assert {name: locked[name] for name in asked} == {name: [version(name)] for name in asked}


def _unused(asked: list[str], named: set[str]) -> list[str]:
    modules: dict[str, set[str]] = {}
    for module, homes in packages_distributions().items():
        for home in homes:
            modules.setdefault(_normal(home), set()).add(module)
    packages = [name for name in map(_package, asked) if name not in LOADED_BY]
    return [name for name in packages if not modules.get(name, set()) & named]


def _named_in(folder: str) -> set[str]:
    """First parts of what is imported, and of dotted names in texts, as settings have them."""
    texts = {
        node.value.split(".")[0]
        for _, module in tree.python(folder)
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.fullmatch(r"[\w.]+", node.value)
    }
    return texts | set(_imported(folder))


def _imported(folder: str) -> Iterator[str]:
    """What is imported when it runs; what types alone need comes with the tools."""
    for _, module in tree.python(folder):
        for node in _running(module):
            if isinstance(node, ast.Import):
                yield from (name.name.split(".")[0] for name in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.split(".")[0]


def _running(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    yield node
    for part in ast.iter_child_nodes(node):
        yield from _running(part)


def _package(asked: str) -> str:
    return _normal(re.split(r"[\[<>=]", asked)[0])


def _normal(name: str) -> str:
    return name.lower().replace("_", "-")
