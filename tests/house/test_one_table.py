"""What is known of a statistic stands in one table, and nowhere else is another begun."""

import ast
import re
from collections.abc import Iterator

from dpgov.privacy.plan.statistics import StatisticKind
from tests.house import tree

# A list of some statistics is a choice of its own here, and says nothing about the others.
OF_THEIR_OWN = {
    "dpgov/privacy/plan/statistics.py": "the table",
    "dpgov/datasets/web/forms/policy.py": "what the strict template lets be asked",
    "dpgov/explain/densities.py": "the examples of the pages about ε",
}
_FEW = 2
_STATISTICS = frozenset(StatisticKind)
_SHOWN_FOR = re.compile(r'data-is="([a-z_ ]+)"')


def test_no_module_begins_another_table_of_statistics() -> None:
    """Of so few statistics a test by name is a rule; of more it is a table."""
    found = {tree.name(path) for path, module in tree.python("dpgov") if list(_tables(module))}
    assert found - set(OF_THEIR_OWN) == set()
    assert set(OF_THEIR_OWN) - found == set()


def test_no_template_lists_statistics() -> None:
    names = {kind.value for kind in StatisticKind}
    listed = {
        tree.name(path): shown
        for path in tree.files(".html")
        for shown in _SHOWN_FOR.findall(path.read_text())
        if names & set(shown.split())
    }
    assert listed == {}


def _tables(module: ast.Module) -> Iterator[ast.AST]:
    """Displays that hold several statistics, by member or by value."""
    for node in ast.walk(module):
        parts: list[ast.expr | None] = []
        if isinstance(node, ast.Dict):
            parts = [*node.keys, *node.values]
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            parts = [*node.elts]
        if len({name for part in parts for name in _statistics(part)}) > _FEW:
            yield node


def _statistics(node: ast.expr | None) -> Iterator[str]:
    if isinstance(node, ast.Constant) and node.value in _STATISTICS:
        yield node.value
    if isinstance(node, ast.Attribute) and node.attr in StatisticKind.__members__:
        yield StatisticKind[node.attr].value
    if isinstance(node, ast.Tuple | ast.List):
        for part in node.elts:
            yield from _statistics(part)
