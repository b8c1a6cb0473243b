"""How a page is shown: with 422 and the messages at its fields where what was sent is refused.

And how the input of a field is written: template filters, and a select of hundreds at once.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.forms import BoundField, CheckboxInput, RadioSelect, Select
from django.forms.utils import flatatt
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.template import Library
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

REFUSED = 422
CSV = "text/csv; charset=utf-8"


def show_page(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, refused: object
) -> HttpResponse:
    """The page; `refused` is whatever refuses what was sent: errors, a sentence, or nothing."""
    return render(request, template, dict(context), status=REFUSED if refused else 200)


def as_file(content: bytes | str, name: str, content_type: str) -> HttpResponse:
    """A download of this name, which no browser opens as anything else."""
    return HttpResponse(content, content_type=content_type, headers=_headers_of_file(name))


def as_file_in_parts(
    parts: Iterator[bytes] | Iterator[str], name: str, content_type: str
) -> StreamingHttpResponse:
    """The same of a large one, which is sent while it is made."""
    headers = _headers_of_file(name)
    return StreamingHttpResponse(parts, content_type=content_type, headers=headers)


def _headers_of_file(name: str) -> dict[str, str]:
    return {
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
    }


register = Library()
_LOOKS = (((CheckboxInput,), "form-check-input"), ((Select,), "form-select"))


@register.filter
def styled(field: BoundField) -> SafeString:
    """The input alone."""
    widget = field.field.widget
    look = next((look for kinds, look in _LOOKS if isinstance(widget, kinds)), "form-control")
    return field.as_widget(attrs=None if "class" in widget.attrs else {"class": look})


@register.filter
def is_tick(field: BoundField) -> bool:
    """Whether its label stands behind it."""
    return isinstance(field.field.widget, CheckboxInput)


@register.filter
def is_choice(field: BoundField) -> bool:
    """Whether it is radio buttons, or boxes to tick, each with a label of its own."""
    return isinstance(field.field.widget, RadioSelect)


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
