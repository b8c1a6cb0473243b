"""Choosing one or several out of few or of thousands, by the same field.

Up to FEW there is a select, or boxes to tick. Beyond, one types a name that an address could have
(a dataset's short name, a person's e-mail), and the page suggests; without scripts typing is
enough. Suggestions are of what the reader sees; what may be chosen is the field's own query alone.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.forms.utils import flatatt
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from dpgov.web.pages import LongSelect

FEW = 100
UNKNOWN = _("Nothing to choose here is called “%(value)s”. Take one that is suggested.")

# Django's own classes take no argument when they run.
if TYPE_CHECKING:
    _One = forms.ModelChoiceField[Any]
    _Several = forms.ModelMultipleChoiceField[Any]
else:
    _One = forms.ModelChoiceField
    _Several = forms.ModelMultipleChoiceField


class Suggested(StrEnum):
    """What is suggested while somebody types."""

    DATASETS = "datasets"
    ANALYSTS = "analysts"
    MEMBERS = "members"
    HOLDERS = "holders"
    ACTORS = "actors"


class _Typed:
    """What both inputs have: where suggestions come from."""

    is_typed = True
    of: Suggested
    template_name: str
    names: Callable[[Sequence[Any]], str] | None = None

    def format_value(self, value: Any) -> Any:
        """Names in place of keys, where the field knows them."""
        keys = value if isinstance(value, list | tuple) else [value]
        if self.names is not None and all(map(is_key, keys)):
            return self.names(keys)
        return super().format_value(value)  # type: ignore[misc]

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """With the address of suggestions and the id of their list."""
        context: dict[str, Any] = super().get_context(name, value, attrs)  # type: ignore[misc]
        widget = context["widget"]
        widget["suggestions"] = f"{reverse('dashboards:suggest')}?of={self.of.value}"
        widget["list"] = f"{widget['attrs'].get('id') or f'id_{name}'}-suggested"
        widget["of"] = self.of.value
        widget["flat"] = flatatt(widget["attrs"])
        return context

    def _render(self, template_name: str, context: dict[str, Any], renderer: Any = None) -> Any:
        """Out of our own templates; Django's renderer of forms has only its own."""
        return render_to_string(template_name, context)


class TypedOne(_Typed, forms.TextInput):
    """One line with suggestions."""

    template_name = "fields/picking/one.html"

    def __init__(self, of: Suggested) -> None:
        super().__init__({"class": "form-control", "autocomplete": "off", "spellcheck": "false"})
        self.of = of


class TypedSeveral(_Typed, forms.Textarea):
    """A line for each, and a box with suggestions that adds one."""

    template_name = "fields/picking/several.html"

    def __init__(self, of: Suggested) -> None:
        super().__init__({"class": "form-control", "rows": 6, "spellcheck": "false"})
        self.of = of


class _Named:
    """How rows are called, and found by what somebody typed."""

    by: str
    queryset: Any
    label_from_instance: Any
    to_field_name: str | None

    def labels(self, rows: Sequence[Any]) -> list[str]:
        """What each is called in a select or beside a box."""
        return [str(self.label_from_instance(row)) for row in rows]

    @property
    def key(self) -> str:
        """The field by which a row is chosen out of a few."""
        return self.to_field_name or "pk"

    def names(self, keys: Sequence[Any]) -> str:
        """What one would type for these, each on a line."""
        found = self.queryset.filter(**{f"{self.key}__in": keys}).values_list(self.by, flat=True)
        return "\n".join(found)

    def called(self, name: str) -> QuerySet[Any, Any]:
        """The rows of this name; one counts, two are none."""
        found: QuerySet[Any, Any] = self.queryset.filter(**{f"{self.by}__iexact": name})
        return found


class PickOne(_Named, _One):
    """One of the rows of a query: by its key, or by its name `by`.

    `choose_from` sets the query, in an order. Raises what a choice field does, `invalid_choice` for
    everything that is not among them, and `unknown` for a name that none of them has.
    """

    default_error_messages: ClassVar[dict[str, Any]] = {"unknown": UNKNOWN}

    def __init__(self, *, of: Suggested, by: str, **kwargs: Any) -> None:
        self.by, self.of = by, of
        kwargs.setdefault("widget", LongSelect(attrs={"class": "form-select"}))
        super().__init__(**kwargs)

    def choose_from(
        self, rows: QuerySet[Any, Any], offered: QuerySet[Any, Any] | None = None
    ) -> None:
        """These and no others; `offered` are those of them that the list shows, if not all."""
        self.queryset = rows
        _fill(self, TypedOne(self.of), offered)

    def to_python(self, value: Any) -> Any:
        """The row."""
        if value in self.empty_values or isinstance(value, Model) or is_key(value):
            return super().to_python(value)
        return _called(self, str(value))


class PickSeveral(_Named, _Several):
    """Several rows of a query: by their keys, or by their names `by`, one on a line."""

    default_error_messages: ClassVar[dict[str, Any]] = PickOne.default_error_messages

    def __init__(self, *, of: Suggested, by: str, **kwargs: Any) -> None:
        self.by, self.of = by, of
        super().__init__(**kwargs)

    def choose_from(self, rows: QuerySet[Any, Any]) -> None:
        """These and no others."""
        self.queryset = rows
        _fill(self, TypedSeveral(self.of))

    def clean(self, value: Any) -> Any:
        """The rows, of whatever was ticked or typed."""
        if isinstance(value, str):
            lines = [line.strip() for line in value.splitlines() if line.strip()]
            value = [self._key_of(line) for line in lines]
        return super().clean(value)

    def _key_of(self, line: str) -> Any:
        return line if is_key(line) else _called(self, line).serializable_value(self.key)


def _fill(field: Any, typed: TypedOne | TypedSeveral, offered: Any = None) -> None:
    """Have the field show its few rows, or a line to type in; one statement, of a few rows."""
    shown = field.queryset if offered is None else offered
    rows = list(shown[: FEW + 1])
    if len(rows) > FEW:
        typed.is_required, typed.names = field.required, field.names
        if field.empty_label:
            # What a select says where nothing is chosen.
            typed.attrs["placeholder"] = field.empty_label
        field.widget = typed
        return
    nobody = [("", field.empty_label)] if field.empty_label is not None else []
    keys = [field.prepare_value(row) for row in rows]
    field.widget.choices = [*nobody, *zip(keys, field.labels(rows), strict=True)]


def _called(field: Any, text: str) -> Any:
    """The row of this name."""
    rows = list(field.called(text.strip())[:2])
    if len(rows) != 1:
        message = field.error_messages["unknown"]
        raise ValidationError(message, code="unknown", params={"value": text[:100]})
    return rows[0]


def is_key(value: Any) -> bool:
    """Whether it is one of our keys, and no name."""
    try:
        return bool(UUID(str(value)))
    except ValueError:
        return False
