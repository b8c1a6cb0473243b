"""The officer's pages: read, filter, export and verify the log. They change nothing in it
except that an export and a verification are noted.
"""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dpgov.audit.archive.parquet import ArchiveAway, BrokenArchive
from dpgov.audit.archive.reading import archived_entry, check_files, older_of, whole_log
from dpgov.audit.entry import leaf_hash, line_of
from dpgov.audit.export import csv_lines
from dpgov.audit.history import looked_at
from dpgov.audit.models import AuditEntry
from dpgov.audit.selectors import (
    EntryFilter,
    covering_checkpoint,
    entries_of,
    get_entry,
    log_size,
    older_than,
    stream,
)
from dpgov.audit.services import MOST_AT_ONCE, record_export, verify_and_record
from dpgov.budgets.findings import ledger_findings
from dpgov.language.translation import translated
from dpgov.operation import clock
from dpgov.oversight.log.activity import MOST, activity_of
from dpgov.oversight.log.changes import changes_in
from dpgov.oversight.log.names import people_of, widened
from dpgov.oversight.log.sentences import labels_in, lines_of, told_in
from dpgov.oversight.web.forms.log import AuditFilterForm
from dpgov.tenants.permissions import MemberRequest, Permission, requires
from dpgov.tenants.selectors import actor_of
from dpgov.web.pages import CSV, as_file_in_parts, show_page
from dpgov.web.span import Span, with_range

PAGE_SIZE = 50
_FORMATS = {"csv": CSV, "jsonl": "application/x-ndjson"}


@require_safe
@requires(Permission.READ_AUDIT_LOG)
def audit_log(request: MemberRequest) -> HttpResponse:
    """The log, newest first, in pages that begin below a sequence number."""
    tenant = request.membership.tenant
    today = timezone.localdate(clock.now())
    form = AuditFilterForm(with_range(request.GET, today))
    chosen = form.chosen()
    meant = widened(tenant, chosen)
    found = entries_of(tenant.id, meant)
    before = _before(request.GET.get("before", ""))
    page = list((older_than(found, tenant.id, before) if before else found)[: PAGE_SIZE + 1])
    lines = lines_of(tenant.id, page[:PAGE_SIZE], people_of(labels_in(page)))
    head = looked_at(tenant.id)
    context = {
        "form": form,
        "entries": lines,
        "activity": activity_of(found, chosen, meant) if lines else None,
        "most": MOST,
        "chips": form.chips(),
        "span": Span.of_list(request, today),
        "today": today.isoformat(),
        "older": page[PAGE_SIZE - 1].sequence if len(page) > PAGE_SIZE else None,
        "later_page": bool(before),
        "filtered": chosen != EntryFilter(),
        "narrowed": form.narrowed(),
        "size": head.size,
        "checkpoint": (last := head.newest),
        "root": bytes(last.root).hex() if last else "",
        "archive": translated(older.sentence) if (older := older_of(tenant.id)) else "",
        "contradictions": [translated(words) for words in head.findings],
        "most_at_once": MOST_AT_ONCE,
    }
    return show_page(request, "oversight/log/audit_log.html", context, refused=form.errors)


def _before(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


@require_safe
@requires(Permission.READ_AUDIT_LOG)
def audit_entry(request: MemberRequest, sequence: int) -> HttpResponse:
    """One entry in full, and its place in the hash tree."""
    tenant = request.membership.tenant
    tenant_id = tenant.pk
    try:
        entry = _entry(tenant_id, sequence)
    except (ArchiveAway, BrokenArchive) as away:
        said = {"sequence": sequence, "away": translated(away.args[0])}
        return render(request, "oversight/log/audit_away.html", said)
    (line,) = lines_of(tenant_id, [entry], people_of(labels_in([entry])))
    context = {
        "entry": entry,
        "line": line,
        "words": line.words,
        "told": told_in(entry.detail),
        "detail": _pretty(entry.detail),
        "changes": changes_in(entry.detail),
        "leaf": bytes(entry.leaf_hash).hex(),
        "leaf_matches": leaf_hash(line_of(vars(entry))) == bytes(entry.leaf_hash),
        "size": log_size(tenant_id),
        "checkpoint": covering_checkpoint(tenant_id, sequence),
    }
    panel = request.headers.get("HX-Request")
    return render(request, f"oversight/log/{'_' if panel else ''}audit_entry.html", context)


def _entry(tenant_id: UUID, sequence: int) -> AuditEntry:
    """Out of the log, else out of the archive; raises Http404, ArchiveAway, BrokenArchive."""
    try:
        return get_entry(tenant_id, sequence)
    except AuditEntry.DoesNotExist as missing:
        found = archived_entry(tenant_id, sequence)
        if found is None:
            raise Http404 from missing
        return found


def _pretty(detail: str) -> str:
    try:
        return json.dumps(json.loads(detail), indent=2, sort_keys=True, ensure_ascii=False)
    except ValueError:
        return detail


@require_POST
@requires(Permission.READ_AUDIT_LOG)
def audit_verify(request: MemberRequest) -> HttpResponse:
    """Read the log again, or the next part of a long one; a fragment for htmx, else a page."""
    tenant = request.membership.tenant
    verdict = verify_and_record(tenant_id=tenant.id, actor=actor_of(request.user))
    context = {
        "verdict": verdict,
        "problems": [translated(problem) for problem in verdict.problems],
        "unread": [translated(sentence) for sentence in verdict.unread],
        "findings": [translated(finding) for finding in ledger_findings(tenant)],
        "at": clock.now(),
    }
    whole_page = not request.headers.get("HX-Request")
    template = "audit_verified.html" if whole_page else "_audit_verdict.html"
    return render(request, f"oversight/log/{template}", context)


@require_POST
@requires(Permission.READ_AUDIT_LOG)
def audit_export(request: MemberRequest, fmt: str) -> HttpResponseBase:
    """The log as a download: JSON lines always whole, CSV as filtered.

    A file of the archive that was changed or cannot be read is said instead, before the first line:
    a download can only break.
    """
    if fmt not in _FORMATS:
        raise Http404
    form = AuditFilterForm(request.POST)
    if not form.is_valid():
        raise BadRequest(_("The filter of the export is not valid. Go back and correct it."))
    chosen = form.chosen() if fmt == "csv" else EntryFilter()
    tenant = request.membership.tenant
    if fmt == "jsonl" and (broken := _broken(tenant.id)):
        return render(request, "oversight/log/audit_away.html", {"away": broken}, status=409)
    note = record_export(
        tenant_id=tenant.id, actor=actor_of(request.user), detail=_export_detail(fmt, chosen)
    )
    lines: Iterator[str] | Iterator[bytes]
    if fmt == "csv":
        lines = csv_lines(stream(tenant.id, upto=note.sequence, chosen=widened(tenant, chosen)))
    else:
        lines = whole_log(tenant.id, upto=note.sequence)
    name = f"audit-{tenant.slug}-{note.sequence}.{fmt}"
    return as_file_in_parts(lines, name, _FORMATS[fmt])


def _broken(tenant_id: UUID) -> str:
    """Which file of the archive was changed or cannot be read, in words; "" for none."""
    try:
        check_files(tenant_id)
    except (ArchiveAway, BrokenArchive) as problem:
        return translated(problem.args[0])
    return ""


def _export_detail(fmt: str, chosen: EntryFilter) -> dict[str, Any]:
    return {
        "format": fmt,
        "actor": chosen.actor,
        "action": chosen.action,
        "dataset": chosen.dataset,
        "since": chosen.since.isoformat() if chosen.since else None,
        "until": chosen.until.isoformat() if chosen.until else None,
        "amount": str(chosen.amount) if chosen.amount else None,
        **({"word": chosen.word} if chosen.word else {}),
    }
