"""A cell of the grid of columns: written here and not by widgets, because there are thousands."""

from django import template
from django.forms import BoundField, Select, Textarea
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from dpgov.datasets.web.forms.presets import PRESETS

register = template.Library()
_SELECTED = SafeString(" selected")


@register.filter
def cell(field: BoundField) -> SafeString:
    """The input, named by its row and the head above it, and below it what is wrong with it."""
    named = f"{field.form.prefix}-title grid-{field.name}"
    own = {"id": field.auto_id, "aria-labelledby": named, **field.field.widget.attrs}
    problems = field.errors
    if problems:
        own |= {"aria-invalid": "true", "aria-describedby": f"{field.auto_id}_error"}
    shown = _input(field, own)
    if not problems:
        return shown
    told = '<div class="invalid-feedback d-block" id="{}_error">{}</div>'
    return shown + format_html(told, field.auto_id, " ".join(map(str, problems)))


def _input(field: BoundField, own: dict[str, object]) -> SafeString:
    value = field.value()
    text, widget = "" if value is None else str(value), field.field.widget
    name, attributes = field.html_name, flatatt(own)
    if isinstance(widget, Select):
        options = _options(widget, text)
        return format_html('<select name="{}"{}>{}</select>', name, attributes, options)
    if isinstance(widget, Textarea):
        return format_html('<textarea name="{}"{}>\n{}</textarea>', name, attributes, text)
    given = format_html(' value="{}"', text) if text else ""
    return format_html('<input type="text" name="{}"{}{}>', name, given, attributes)


def _options(select: Select, chosen: str) -> SafeString:
    return format_html_join(
        "",
        '<option value="{}"{}>{}</option>',
        ((key, _SELECTED if key == chosen else "", words) for key, words in select.choices),
    )


@register.simple_tag
def presets() -> SafeString:
    """The entries of the list that fills in selected rows; what they fill in stands in them."""
    parts = ((p.kind, p.lower, p.upper, p.step, "\n".join(p.categories), p.words) for p in PRESETS)
    option = (
        '<option value="fill" data-kind="{}" data-lower="{}" data-upper="{}" data-step="{}" '
        'data-categories="{}">{}</option>'
    )
    return format_html_join("", option, parts)
