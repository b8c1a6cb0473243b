"""YAML or JSON text as a plain tree of dictionaries, lists and texts. Nothing in it is believed.

Scalars stay the texts that they were, so that 0.10 is exactly that and `no` is not false. Aliases,
repeated keys, deep nesting and anything that would make an object are refused.
"""

import json
from collections.abc import Hashable
from typing import Any, NoReturn

import yaml
from django.utils.translation import gettext as _

from dpgov.web.texts import storable

Tree = dict[str, Any]
_DEEPEST = 12


class UnreadableMetadata(Exception):
    """The file is none that we read; `str` says what to do, and holds nothing of the file."""


def parse(text: str) -> Tree:
    """The one mapping that the text holds. Raises UnreadableMetadata."""
    is_json = text.lstrip().startswith("{")
    try:
        found = _from_json(text) if is_json else _from_yaml(text)
        _check_depth(found, 0)
    except RecursionError as deep:
        raise _too_deep() from deep
    if not isinstance(found, dict):
        raise UnreadableMetadata(_("The file does not describe a table: it has no named entries."))
    return _storable_entries(found)


def _storable(part: Any) -> Any:
    """What escapes can spell and no text has: `\\0` and half characters."""
    if isinstance(part, dict):
        return _storable_entries(part)
    if isinstance(part, list):
        return [_storable(each) for each in part]
    return storable(part) if isinstance(part, str) else part


def _storable_entries(part: Tree) -> Tree:
    found = {storable(key): _storable(value) for key, value in part.items()}
    if len(found) < len(part):
        raise _repeated()
    return found


def _too_deep() -> UnreadableMetadata:
    return UnreadableMetadata(_("The file is nested too deeply for a description of columns."))


def _check_depth(part: object, depth: int) -> None:
    if depth > _DEEPEST:
        raise _too_deep()
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    for each in inner:
        _check_depth(each, depth + 1)


def _from_json(text: str) -> object:
    try:
        return json.loads(
            text,
            parse_int=str,
            parse_float=str,
            parse_constant=str,
            object_pairs_hook=_without_repeats,
        )
    except json.JSONDecodeError as problem:
        told = _("The JSON breaks off in line {line}.").format(line=problem.lineno)
        raise UnreadableMetadata(told) from problem


def _without_repeats(pairs: list[tuple[str, Any]]) -> Tree:
    found: Tree = {}
    for key, value in pairs:
        if key in found:
            raise _repeated()
        found[key] = _text_of(value)
    return found


def _repeated() -> UnreadableMetadata:
    return UnreadableMetadata(_("A name stands there twice on one level: keep one of the two."))


def _text_of(value: Any) -> Any:
    """JSON's true, false and null as YAML's texts, also within lists."""
    if isinstance(value, list):
        return [_text_of(each) for each in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


class _Texts(yaml.BaseLoader):
    """PyYAML's loader that makes nothing but texts, lists and dictionaries."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Refuse aliases, with which a small file can stand for a huge one."""
        if self.check_event(yaml.AliasEvent):
            raise UnreadableMetadata(_("The file uses YAML aliases (*name): write them out."))
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        """Refuse repeated and composite keys."""
        found: dict[Hashable, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise UnreadableMetadata(_("A name in the file is not a plain text."))
            if key.value in found:
                raise _repeated()
            found[key.value] = self.construct_object(value, deep=True)
        return found


def _from_yaml(text: str) -> object:
    try:
        loader = _Texts(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as problem:
        _refuse_yaml(problem)
    except yaml.YAMLError as problem:
        told = _("The file holds characters that YAML does not allow.")
        raise UnreadableMetadata(told) from problem


def _refuse_yaml(problem: yaml.MarkedYAMLError) -> NoReturn:
    told = _("The YAML cannot be read.")
    if problem.problem_mark:
        told = _("The YAML cannot be read in line {line}.").format(
            line=problem.problem_mark.line + 1
        )
    raise UnreadableMetadata(told) from problem
