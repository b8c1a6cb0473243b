"""No code of the product is there for nothing, and none for tests alone.

`vulture` finds what no Python of the product names. Of that, what templates name is used, what
settings and addresses name as text, what a framework calls by its base class, and what is handed
over where it is made (a decorator).
"""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from vulture import Vulture  # type: ignore[import-untyped]
from vulture.core import Item  # type: ignore[import-untyped]

from tests.house import tree

_KINDS = {"class", "function", "method", "property"}
_HANDED_OVER = ["@*.connect"]
# Read by name by whoever loads the module, and why no text of ours has the name.
CALLED_BY_NAME = {
    "Meta": "Django's models, forms and serializers",
    "patch": "a view, for the verb",
    "on_starting": "gunicorn",
    "child_exit": "gunicorn",
    "post_worker_init": "gunicorn",
    "post_request": "gunicorn",
    "process_view": "Django's middleware",
    "as_postgresql": "Django's compiler, for the vendor",
    "TokenScheme": "drf-spectacular, among the subclasses of its base",
    "toChannel": "gRPC's channel builder, in Spark's client",
    "place_of_cell": "the definition that every engine's statement must agree with",
}


def test_nothing_of_the_product_is_unused() -> None:
    found = [f"{path}:{item.first_lineno} {item.name}" for path, item in _unused()]
    assert [one for one in found if one.split()[1] not in CALLED_BY_NAME] == []


def test_what_is_called_by_name_is_there() -> None:
    assert set(CALLED_BY_NAME) - {item.name for _, item in _unused()} == set()


@pytest.mark.parametrize("kind", ["def unused() -> None: ...", "class Unused: ..."])
def test_an_unused_function_would_be_found(kind: str, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(f"{kind}\n")
    assert [item.name for item in _named_nowhere(tmp_path)] == [kind.split()[1].strip(":()")]


@cache
def _unused() -> list[tuple[str, Item]]:
    found = _named_nowhere(tree.ROOT / "dpgov")
    shown = _words_shown() | set(_named_as_text())
    return [
        (tree.name(item.filename), item)
        for item in found
        if item.name not in shown and not item.name.endswith("Config") and not _is_overriding(item)
    ]


def _named_nowhere(folder: Path) -> list[Item]:
    search = Vulture(ignore_decorators=_HANDED_OVER)
    search.scavenge([folder])
    found = [item for item in search.get_unused_code() if item.typ in _KINDS]
    return [item for item in found if "migrations" not in item.filename.parts]


def _words_shown() -> set[str]:
    folders = (tree.ROOT / "templates", tree.ROOT / "static/js")
    paths = tree.files(".html", ".txt", ".js", ".json", ".xml", ".svg")
    own = [p for p in paths if any(p.is_relative_to(folder) for folder in folders)]
    return {word for path in own for word in re.findall(r"\w+", path.read_text())}


def _named_as_text() -> Iterator[str]:
    """The last part of every dotted name that the product has as a text."""
    for _, module in tree.python("dpgov"):
        for node in ast.walk(module):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and re.fullmatch(r"[\w.:]+", text):
                yield re.split("[.:]", text)[-1]


def _is_overriding(item: Item) -> bool:
    """Whether a class from outside has this name, or a form or serializer calls it for a field."""
    module = _module(item.filename)
    having = [one for one in _classes(module, module.__name__) if item.name in vars(one)]
    return any(_is_called_of(one, item.name) for one in having)


def _is_called_of(one: type, name: str) -> bool:
    outside = [base for base in one.__mro__[1:] if not base.__module__.startswith("dpgov")]
    fields = {*getattr(one, "base_fields", ()), *getattr(one, "_declared_fields", ())}
    of_field = re.sub(r"^(clean|get)_", "", name)
    return any(name in vars(base) for base in outside) or (of_field != name and of_field in fields)


def _classes(space: ModuleType | type, module: str) -> Iterator[type]:
    """Those that the module defines, and within them; a class may name itself."""
    for one in vars(space).values():
        if isinstance(one, type) and one.__module__ == module and one is not space:
            yield one
            yield from _classes(one, module)


def _module(path: Path) -> ModuleType:
    parts = tree.name(path).removesuffix(".py").split("/")
    return importlib.import_module(".".join(parts).removesuffix(".__init__"))
