"""Many columns at once: pasted rows, a template, another dataset, stated types, split values.

Each changes the person's own draft alone; nothing is declared, and no cell of the file is read.
"""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dpgov.datasets import selectors, services
from dpgov.datasets.importing import (
    LARGEST_BYTES,
    Filled,
    UnreadableMetadata,
    filled,
    read_rows,
    template,
)
from dpgov.datasets.models import Upload
from dpgov.datasets.uploaded import upload_or_404, used
from dpgov.datasets.web.forms.computed import at, computed_in, places_of, typed_computed
from dpgov.datasets.web.forms.filling import (
    Typed,
    by_name,
    form_of,
    free_place,
    put,
    with_values_apart,
    without_computed,
)
from dpgov.datasets.web.forms.importing import keep
from dpgov.datasets.web.forms.registration import typed_column
from dpgov.operation.middleware import drops_nul
from dpgov.privacy.plan.computed.declared import MAX_COMPUTED
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import CSV, as_file

# Places of removed ones are not taken again before the last, so that none moves under a hand.
_LAST_PLACE = 99


@requires(Permission.REGISTER_DATASETS)
@require_safe
def column_template(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """A CSV file with a row for each column, and what is typed so far."""
    chosen = upload_or_404(request, upload_id)
    draft = services.draft_of(chosen)
    typed, computed = by_name(draft, chosen.headers), computed_in(draft).values()
    return as_file(template(chosen.headers, typed, list(computed)), "columns.csv", CSV)


@drops_nul
@requires(Permission.REGISTER_DATASETS)
@require_POST
def fill(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """Put something among what stands in the form, keep both, and show the form again."""
    chosen = upload_or_404(request, upload_id)
    if chosen.state != Upload.State.READY:
        return used(request)
    typed = services.typed_in(request.POST)
    how, _between, where = request.POST.get("fill", "").partition(":")
    try:
        typed = _WAYS[how](request, chosen, typed, where) if how in _WAYS else typed
    except UnreadableMetadata as problem:
        messages.error(request, str(problem))
    try:
        services.keep_draft(upload=chosen, typed=typed)
    except services.DraftTooLarge as refusal:
        messages.error(request, str(refusal))
    where = "#computed-title" if "computed" in how else "#columns-title"
    return redirect(form_of(membership_of(request), chosen, typed.get("version_of", "")) + where)


def _paste(request: HttpRequest, chosen: Upload, typed: Typed, _where: str) -> Typed:
    text = request.POST.get("pasted", "")
    if len(text.encode()) > LARGEST_BYTES:
        larger = _("This is more than {kilobytes} KB: paste it in parts.")
        raise UnreadableMetadata(larger.format(kilobytes=LARGEST_BYTES // 1000))
    found = filled(
        read_rows(text, format_name="CSV"),
        chosen.headers,
        heading=_("Filled in from the rows that you pasted"),
    )
    keep(request, chosen, found)
    return put(typed, chosen.headers, found)


def _copy(request: HttpRequest, chosen: Upload, typed: Typed, _where: str) -> Typed:
    """Declarations are public in the organisation; those of every other one are not found."""
    version = selectors.version_to_copy(membership_of(request), request.POST.get("copy_from", ""))
    if version is None:
        raise UnreadableMetadata(_("Choose a dataset whose declarations you want."))
    known = version.columns.all()
    declared = {column.name: typed_column(column) for column in known if not column.formula}
    columns = {name: declared[name] for name in chosen.headers if name in declared}
    left = [name for name in declared if name not in columns]
    absent = _("{name} is declared there, but not in the file.")
    found = Filled(
        format="",
        dataset={},
        columns=columns,
        notes=[absent.format(name=name) for name in left],
        heading=_("Copied from {name}, version {number}").format(
            name=version.dataset.name, number=version.number
        ),
        computed={c.name: typed_computed(c, known) for c in known if c.formula},
    )
    keep(request, chosen, found)
    return put(typed, chosen.headers, found, over=False)


def _types(_request: HttpRequest, chosen: Upload, typed: Typed, _where: str) -> Typed:
    """Of columns that are left out so far: their type as the file's schema states it, no more."""
    stated = dict(zip(chosen.headers, chosen.kinds, strict=False))
    columns = {name: _begin(kind) for name, kind in stated.items() if kind}
    return put(typed, chosen.headers, Filled("", {}, columns, []), over=False)


def _begin(kind: str) -> Typed:
    """A truth has two values by its type, and so is the one type that says what they are."""
    return {"kind": "category", "categories": "true\nfalse"} if kind == "truth" else {"kind": kind}


def _split(request: HttpRequest, chosen: Upload, typed: Typed, where: str) -> Typed:
    return with_values_apart(typed, where)


def _add_computed(_request: HttpRequest, _chosen: Upload, typed: Typed, _where: str) -> Typed:
    """An empty one after those that are there."""
    place = free_place(typed)
    if len(places_of(typed)) >= MAX_COMPUTED or place > _LAST_PLACE:
        raise UnreadableMetadata(
            _("There can be at most {most} computed columns.").format(most=MAX_COMPUTED)
        )
    return typed | at(place, {"name": ""})


def _remove_computed(_request: HttpRequest, _chosen: Upload, typed: Typed, where: str) -> Typed:
    place = places_of([f"{where}-name"])
    return without_computed(typed, place[0]) if place else typed


_WAYS: dict[str, Callable[[HttpRequest, Upload, Typed, str], Typed]] = {
    "paste": _paste,
    "copy": _copy,
    "split": _split,
    "types": _types,
    "computed": _add_computed,
    "no-computed": _remove_computed,
}
