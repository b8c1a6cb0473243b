"""One word for one thing: in every sentence, as docs/architecture.md has it, and in code."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from dpgov.budgets.models import Budget
from dpgov.datasets.models import Column, Dataset
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.schema import MissingRule, Neighbouring
from tests.house import tree

_ROW = re.compile(r"^\| \*\*(.+?)\*\* \|.*\| (.+?) \|$", re.MULTILINE)
_NAMED = re.compile(r"“(.+?)”")
_CALLS = ("_", "said", "pattern", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy")
_CALLS_IN_CONTEXT = ("pgettext", "pgettext_lazy", "npgettext", "npgettext_lazy")
_BLOCK = re.compile(r"\{% blocktranslate\b.*?%\}(.*?)\{% endblocktranslate %\}", re.DOTALL)
_IN_TAGS = re.compile(r"(?:\{% translate |_\()(?:\"([^\"]*)\"|'([^']*)')")
# Of a page: what is code, where a link leads, and the glossary itself.
_NO_PROSE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|\n## Glossary\n.*?(?=\n## )", re.DOTALL)
# Pages about code say what code calls it, where the glossary has both words.
_OF_CODE = ("query", "queries", "tenant", "tenants", "notice", "notices")
_ABOUT_CODE = ("docs/adr/", "docs/architecture.md", "docs/benchmarks.md", "docs/database.md")
_MEANT_OTHERWISE = {
    ("docs/adr/0019-trials-run-on-invented-data.md", "synthetic data"): "what others make of rows",
    ("docs/adr/0050-kinds-of-live-tables.md", "letter"): "of the alphabet",
    ("docs/backup.md", "notice"): "to notice",
    ("docs/backup.md", "notices"): "to notice",
    ("docs/statistics.md", "queries"): "linear queries, in a source",
}
# Classes of one name that are one thing, or whose names are stored.
_TWICE = {
    "NewestFirst": "how a list of the API is paged, of entries and of questions",
    "OnPostgreSQL": "what that database is told, in the room that asks it",
    "OnSQLite": "the same of the other one",
    "Problem": "why a source is not read, for each kind of server",
    "Server": "an owner's, of each kind",
    "Source": "what is read there, of each kind",
    "Tally": "two models: their tables have the name",
    "Way": "of the glossary: as the ledger has it, and with what fits there",
}
# Enums whose words are the same by chance.
_SAME_WORDS = {("notices.models.State", "surveys.models.State"): "of e-mails of two sorts"}
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{\w*\}|%\(\w+\)s|<[^>]*>|<code>.*?</code>")


def test_no_sentence_uses_a_word_that_the_glossary_replaced() -> None:
    """On pages, in messages and in the API's descriptions."""
    instead = _instead()
    assert len(instead) >= 10
    found = [
        f"{place}: “{word}”, say “{better}”: {sentence}"
        for place, sentence in _sentences()
        for word, better in instead.items()
        if re.search(rf"\b{re.escape(word)}\b", sentence, re.IGNORECASE)
    ]
    assert found == []


def test_no_page_of_the_docs_uses_a_word_that_the_glossary_replaced() -> None:
    """Of every page, decisions included; each exception is needed."""
    found = {(page, word): f"say “{better}”: {near}" for page, word, better, near in _in_docs()}
    assert {use: said for use, said in found.items() if use not in _MEANT_OTHERWISE} == {}
    assert set(_MEANT_OTHERWISE) <= set(found)


def test_the_glossary_names_what_is_there() -> None:
    """Each class or module that it sends the reader to."""
    defined = {
        node.name
        for _, module in tree.python("dpgov")
        for node in ast.walk(module)
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }
    modules = {
        ".".join(path.relative_to(tree.ROOT / "dpgov").with_suffix("").parts)
        for path in tree.files(".py")
        if path.is_relative_to(tree.ROOT / "dpgov")
    }
    named = [name for row in _table() for name in re.findall(r"`([\w.]+)`", row.split(" | ")[2])]
    assert named
    for name in named:
        packages = {f"{name}.__init__", name}
        assert name.rpartition(".")[2] in defined or packages & modules, name


def test_no_two_classes_have_one_name() -> None:
    """Whoever knows a class from one module takes its name for the same thing in another."""
    where = defaultdict(set)
    for module, parsed in _modules():
        for node in parsed.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where[node.name].add(module)
    twice = {name: modules for name, modules in where.items() if len(modules) > 1}
    # Django finds a command by that name.
    assert twice.pop("Command")
    assert {name: sorted(where) for name, where in twice.items() if name not in _TWICE} == {}
    assert set(_TWICE) <= set(twice)


def test_no_enum_writes_the_values_of_another() -> None:
    """What rows hold is what the mathematics reads, because it is written once."""
    written = defaultdict(list)
    for module, parsed in _modules():
        for node in ast.walk(parsed):
            if isinstance(node, ast.ClassDef) and len(values := _written_in(node)) > 1:
                written[values].append(f"{module}.{node.name}")
    twice = {tuple(enums) for enums in written.values() if len(enums) > 1}
    assert twice == set(_SAME_WORDS)
    assert Budget.Mode.values == [one.value for one in Mode]
    assert Dataset.Neighbouring.values == [one.value for one in Neighbouring]
    assert Column.Missing.values == [one.value for one in MissingRule]


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for path, module in tree.python("dpgov"):
        if "migrations" not in path.parts:
            yield ".".join(path.relative_to(tree.ROOT / "dpgov").with_suffix("").parts), module


def _written_in(node: ast.ClassDef) -> frozenset[str]:
    """The texts that the members of an enum are; none of another class."""
    if not re.search(r"Enum|Choices", " ".join(map(ast.unparse, node.bases))):
        return frozenset()
    values = [line.value for line in node.body if isinstance(line, ast.Assign)]
    # With a label, it is the first of two.
    firsts = [value.elts[0] if isinstance(value, ast.Tuple) else value for value in values]
    return frozenset(_texts(firsts))


def _table() -> list[str]:
    text = (tree.ROOT / "docs/architecture.md").read_text()
    section = text.partition("\n## Glossary\n")[2].partition("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("| **")]


def _instead() -> dict[str, str]:
    """The words that are not used, each with the one that is."""
    rows = _ROW.findall("\n".join(_table()))
    return {word: better for better, cell in rows for word in _NAMED.findall(cell)}


def _sentences() -> Iterator[tuple[str, str]]:
    for path, module in tree.python("dpgov"):
        for sentence in _of_python(module):
            yield tree.name(path), _PLACEHOLDER.sub(" ", sentence)
    for path in tree.files(".html"):
        text = path.read_text()
        for sentence in [*_BLOCK.findall(text), *map("".join, _IN_TAGS.findall(text))]:
            yield tree.name(path), _PLACEHOLDER.sub(" ", sentence)

    schema = SchemaGenerator(api_version="v1").get_schema(request=None, public=True)
    yield from (("API", sentence) for sentence in _of_schema(schema))


def _in_docs() -> Iterator[tuple[str, str, str, str]]:
    """Each word that is not used, by page, with what to say and where it stands."""
    for path in sorted((tree.ROOT / "docs").rglob("*.md")):
        page, prose = tree.name(path), " ".join(_NO_PROSE.sub(" ", path.read_text()).split())
        for word, better in _instead().items():
            if word in _OF_CODE and page.startswith(_ABOUT_CODE):
                continue
            for use in re.finditer(rf"\b{re.escape(word)}\b", prose, re.IGNORECASE):
                near = prose[max(0, use.start() - 40) : use.end() + 40]
                yield page, word, better, near


def _of_schema(node: Any) -> Iterator[str]:
    parts = node.items() if isinstance(node, dict) else enumerate(node)
    for key, part in parts:
        if key in ("description", "summary") and isinstance(part, str):
            yield part
        elif isinstance(part, dict | list):
            yield from _of_schema(part)


def _of_python(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        marked = node.args[1:] if name in _CALLS_IN_CONTEXT else node.args
        if name in _CALLS or name in _CALLS_IN_CONTEXT:
            yield from _texts(marked)
        yield from _texts([k.value for k in node.keywords if k.arg == "help_text"])


def _texts(nodes: Sequence[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
