"""Template filters: the input of a field, with the look of its kind where the form names none."""

from django.forms import BoundField, CheckboxInput, RadioSelect, Select
from django.template import Library
from django.utils.safestring import SafeString

register = Library()
_LOOKS = (((CheckboxInput, RadioSelect), "form-check-input"), ((Select,), "form-select"))


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
