"""A public table beside an uploaded file: its columns are joined to the file's rows by a key.

It belongs to the uploader until the file is registered, and the raw table is then deleted like the
file. What stays with the version, in `joined`, is public: the table's name, its SHA-256, the two
keys and the columns taken. Must never tell how many rows find their key.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.datasets import storage
from dpgov.datasets.models import Arrival, Draft, Upload
from dpgov.datasets.services.files.uploads import (
    UploadBusy,
    UploadUsed,
    looked_at,
    looking,
    looking_limits,
    ready_upload,
    take_upload,
)
from dpgov.datasets.services.stored.keeping import let_go
from dpgov.engines import child
from dpgov.engines.child import Join, RefusedFile
from dpgov.engines.ingest.limits import MAX_COLUMNS
from dpgov.language.said import said
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of

_NOTHING = said("Choose at least one column to take.")


def public_table_of(upload: Upload) -> Upload | None:
    """The public table that lies beside this file, chosen from or not."""
    ready = upload.public_tables.filter(state=Upload.State.READY)
    return ready.order_by("-created_at", "pk").first()


def own_headers(upload: Upload) -> list[str]:
    """The columns of the file itself."""
    taken = len(upload.joined.get("columns", ()))
    return list(upload.headers[: len(upload.headers) - taken])


def take_public_table(*, upload: Upload, user: User, name: str, spool: storage.Spool) -> Upload:
    """Keep a public table for this file, in the place of an earlier one; see `take_upload`.

    Raises UploadUsed, UploadBusy, RefusedFile and Busy; then nothing has changed.
    """
    with transaction.atomic():
        _changeable(upload)
    taken = take_upload(
        tenant=upload.tenant, uploader=user, name=name, spool=spool, public_for=upload
    )
    _drop(upload, user, besides=taken)
    return taken


def join_public_table(
    *, upload: Upload, key: str, public_key: str, columns: Sequence[str], decimal: str = "."
) -> Upload:
    """Join these columns of the public table where `key` here is `public_key` there.

    `decimal` is the mark that its numbers are written with. The key must be unique in the public
    table, and no column may be in both. What was typed for columns that were joined before is
    dropped. Raises RefusedFile naming the input, UploadUsed, UploadBusy and Busy.
    """
    public = public_table_of(upload)
    if public is None:
        raise RefusedFile(said("Upload the public table first."))
    _check(upload, public, key, columns)
    reading = public.reading | {"decimal": decimal}
    with looked_at(public) as path, looking():
        join = Join(str(path), reading, key, public_key, tuple(columns))
        digest = child.check_public(join, limits=looking_limits())
    with transaction.atomic():
        locked = _changeable(upload)
        if public_table_of(locked) != public:
            raise UploadBusy(upload.pk)
        public.reading = reading
        public.save(update_fields=["reading"])
        joined = {
            "upload": str(public.pk),
            "name": public.original_name,
            "sha256": digest,
            "key": key,
            "public_key": public_key,
            "columns": list(columns),
        }
        return _put(locked, joined, public)


def _check(upload: Upload, public: Upload, key: str, columns: Sequence[str]) -> None:
    own = own_headers(upload)
    if key not in own:
        raise RefusedFile(said("The file has no column “{column}”.", column=key), field="key")
    if not columns:
        raise RefusedFile(_NOTHING, field="columns")
    if len(own) + len(columns) > MAX_COLUMNS:
        words = said("At most {most} columns can be registered together.", most=MAX_COLUMNS)
        raise RefusedFile(words, field="columns")
    for column in columns:
        if column not in public.headers:
            words = said("The public table has no column “{column}”.", column=column)
            raise RefusedFile(words, field="columns")
        if column in own:
            words = said("The file has a column “{column}” of its own.", column=column)
            raise RefusedFile(words, field="columns")


def _put(upload: Upload, joined: dict[str, Any], public: Upload | None) -> Upload:
    """The file with these columns after its own; what was typed for other joined ones is gone."""
    own, before = own_headers(upload), upload.headers
    kinds = [*upload.kinds[: len(own)], *[""] * (len(own) - len(upload.kinds))]
    stated = dict(zip(public.headers, public.kinds, strict=False)) if public else {}
    kinds += [stated.get(name, "") for name in joined.get("columns", ())]
    upload.headers = [*own, *joined.get("columns", ())]
    upload.kinds = kinds if any(kinds) else []
    upload.joined = joined
    upload.save(update_fields=["headers", "kinds", "joined"])
    if before != upload.headers:
        _forget(upload, range(len(own), max(len(before), len(upload.headers))))
    return upload


def _forget(upload: Upload, places: range) -> None:
    draft = Draft.objects.filter(upload_id=upload.pk).first()
    if draft is not None:
        gone = tuple(f"column-{place}-" for place in places)
        draft.typed = {n: v for n, v in draft.typed.items() if not n.startswith(gone)}
        draft.save(update_fields=["typed"])


def drop_public_table(*, upload: Upload, user: User) -> None:
    """Take it away and delete it; one entry. Raises UploadUsed and UploadBusy."""
    _drop(upload, user)


def _drop(upload: Upload, user: User, *, besides: Upload | None = None) -> None:
    """Every public table but this one; nothing is joined any more."""
    with transaction.atomic():
        locked = _changeable(upload)
        gone = [one for one in locked.public_tables.all() if one != besides]
        ids = [one.pk for one in gone]
        for one in gone:
            append(
                tenant_id=one.tenant_id,
                actor=actor_of(user),
                action=Action.UPLOAD_DISCARDED,
                subject=f"upload:{one.id}",
                detail={"format": one.format},
            )
            one.delete()
        let_go(ids)
        _put(locked, {}, None)
    for pk in ids:
        storage.upload_path(pk).unlink(missing_ok=True)


def _changeable(upload: Upload) -> Upload:
    locked = ready_upload(upload.pk)
    if locked.live_id is not None:
        raise UploadUsed(upload.pk)
    if locked.arrivals.filter(state__in=Arrival.UNFINISHED).exists():
        raise UploadBusy(upload.pk)
    return locked


@contextmanager
def joined_to(
    upload: Upload, opened: Callable[[Upload], AbstractContextManager[Path]]
) -> Iterator[Join | None]:
    """What the reader of the file needs; None where nothing is joined. Raises what `opened` does.

    The public table is here meanwhile.
    """
    joined = upload.joined
    if not joined:
        yield None
        return
    public = upload.public_tables.get(pk=joined["upload"])
    with opened(public) as path:
        columns = tuple(joined["columns"])
        yield Join(str(path), public.reading, joined["key"], joined["public_key"], columns)


def check_key(upload: Upload, private_id: str | None) -> None:
    """Raises InvalidDomain where the key names people: such a table would be about persons."""
    if private_id and upload.joined.get("key") == private_id:
        words = said(
            "“{column}” is the key of the public table, so it cannot name people too: a table with "
            "a row for each person is not public. Choose another key, or remove the table.",
            column=private_id,
        )
        raise InvalidDomain("private_id", words)


def public_facts(upload: Upload) -> dict[str, Any]:
    """What stays with the version; empty where nothing is joined."""
    return {name: value for name, value in upload.joined.items() if name != "upload"}
