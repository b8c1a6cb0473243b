"""What was read elsewhere, put among what stands in the form of one upload."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from dpgov.datasets import selectors, services
from dpgov.datasets.importing import Filled
from dpgov.datasets.models import Upload
from dpgov.datasets.web.forms.columns import parts_of
from dpgov.datasets.web.forms.computed import at, computed_in, places_of
from dpgov.datasets.web.forms.file import how_read
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import membership_of

Typed = dict[str, str]


def of_column(typed: Mapping[str, str], place: int) -> Typed:
    """What was typed for one column, by the names of its fields; empty where nothing was."""
    prefix = f"column-{place}-"
    return {n.removeprefix(prefix): v for n, v in typed.items() if n.startswith(prefix)}


def by_name(typed: Mapping[str, str], headers: Sequence[str]) -> dict[str, Typed]:
    """The same of all columns, by their names in the file."""
    return {name: of_column(typed, place) for place, name in enumerate(headers)}


def put(
    typed: Mapping[str, str], headers: Sequence[str], found: Filled, *, over: bool = True
) -> Typed:
    """The form with what was found in it; not `over` columns that have a type already."""
    filled = {**typed, **found.dataset}
    for place, (name, present) in enumerate(by_name(typed, headers).items()):
        fields = found.columns.get(name)
        if fields is None or (present.get("kind") and not over):
            continue
        for field in present:
            del filled[f"column-{place}-{field}"]
        filled |= {f"column-{place}-{field}": text for field, text in fields.items()}
    return _put_computed(filled, found, over=over)


def _put_computed(typed: Typed, found: Filled, *, over: bool) -> Typed:
    """Computed columns in the place of those of the same name, if `over`, else after them."""
    filled = dict(typed)
    for name, fields in found.computed.items():
        there = {one.get("name", ""): place for place, one in computed_in(filled).items()}
        if name in there and not over:
            continue
        place = there.get(name, free_place(filled))
        filled = without_computed(filled, place) | at(place, fields)
    return filled


def free_place(typed: Mapping[str, str]) -> int:
    """The number of the next computed column."""
    return max(places_of(typed), default=-1) + 1


def without_computed(typed: Mapping[str, str], place: int) -> Typed:
    """The form without this one."""
    return {n: text for n, text in typed.items() if not n.startswith(f"computed-{place}-")}


def with_values_apart(typed: Mapping[str, str], prefix: str) -> Typed:
    """The values that were typed on one line, each on a line of its own."""
    field = f"{prefix}-categories"
    parts = parts_of(typed.get(field, ""))
    return {**typed, field: "\n".join(parts)} if parts else dict(typed)


def form_of(membership: Membership, upload: Upload, version_of: str) -> str:
    """The address of the form: of a new version of this dataset, else of a new dataset."""
    if selectors.datasets_of(membership).filter(slug=version_of).exists():
        return reverse("datasets:add_version", args=[version_of, upload.pk])
    return reverse("datasets:register", args=[upload.pk])


def around_the_grid(request: HttpRequest, upload: Upload) -> dict[str, Any]:
    """What the page of a form shows beside its columns.

    What was sent and stands there again is kept first. So a save of the form's script that was on
    its way when the form was sent, and arrives after it, is the one that comes too late.
    """
    if request.method == "POST":
        with suppress(services.UploadUsed, services.DraftTooLarge):
            services.keep_draft(upload=upload, typed=request.POST)
    return {
        "draft_seen": services.draft_seen(upload),
        "understood": list(how_read(upload)),
        "copies": selectors.versions_to_copy(membership_of(request)),
    }
