"""A choice among hundreds: written at once, where Django renders a template for each option."""

from typing import Any

from django import forms
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

_SELECTED = SafeString(" selected")


class LongSelect(forms.Select):
    """A select of plain options, without groups."""

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        """The same HTML as Django's own select has."""
        chosen = set(self.format_value(value) or ())
        options = format_html_join(
            "\n",
            '<option value="{}"{}>{}</option>',
            (
                (text, _SELECTED if text in chosen else "", label)
                for text, label in ((_text(key), label) for key, label in self.choices)
            ),
        )
        own = flatatt(self.build_attrs(self.attrs, {**(attrs or {}), "name": name}))
        return format_html("<select{}>\n{}\n</select>", own, options)


def _text(value: Any) -> str:
    return "" if value is None else str(value)
