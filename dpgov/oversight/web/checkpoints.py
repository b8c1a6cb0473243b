"""The officer's view of the signed checkpoints: what was signed, where it went, with which key.

Reads only; signing is the sweeper's work, whose private key these pages never need.
"""

import json
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dpgov.audit.history import looked_at
from dpgov.audit.keys.note import parse_note
from dpgov.audit.models import AuditCheckpoint
from dpgov.audit.outside import known_chain, newest_outside, readable_chain
from dpgov.audit.receipts.proofs import NoSuchCheckpoint, consistency
from dpgov.audit.receipts.verify import consistency_problems
from dpgov.audit.selectors import checkpoints_of, deliveries_of
from dpgov.language.translation import translated
from dpgov.oversight.web.forms.log import ConsistencyForm
from dpgov.tenants.permissions import MemberRequest, Permission, requires
from dpgov.web.pages import as_file, show_page

PAGE_SIZE = 25


@require_safe
@requires(Permission.READ_AUDIT_LOG)
def audit_checkpoints(request: MemberRequest) -> HttpResponse:
    """The checkpoints, newest first, and the proof between two of them if two are chosen."""
    tenant_id = request.membership.tenant_id
    before = request.GET.get("before", "")
    found = checkpoints_of(tenant_id)
    if before.isascii() and before.isdecimal() and len(before) < 19:
        found = found.filter(size__lt=int(before))
    page = list(found[: PAGE_SIZE + 1])
    shown = page[:PAGE_SIZE]
    head = looked_at(tenant_id)
    last = head.newest
    chosen = _chosen_proof(request)
    context = {
        "rows": _rows(request, shown),
        "older": shown[-1].size if len(page) > PAGE_SIZE else None,
        "size": head.size,
        "checkpoint": last,
        "root": bytes(last.root).hex() if last else "",
        "contradictions": [translated(words) for words in head.findings],
        **_outside(tenant_id),
        "keys": [_key(key.as_text(), key.fingerprint) for key in head.keys],
        **chosen,
    }
    refused = chosen["form"].errors
    return show_page(request, "oversight/log/audit_checkpoints.html", context, refused=refused)


def _outside(tenant_id: UUID) -> dict[str, Any]:
    """Up to where the folder has checkpoints, unless it cannot be read; the findings name it."""
    try:
        return {"outside": newest_outside(tenant_id)}
    except OSError:
        return {"outside_is_away": True}


def _rows(request: MemberRequest, shown: list[AuditCheckpoint]) -> list[dict[str, Any]]:
    deliveries = deliveries_of(request.membership.tenant_id, [c.size for c in shown])
    return [
        {
            "checkpoint": checkpoint,
            "root": bytes(checkpoint.root).hex(),
            "deliveries": deliveries[checkpoint.size],
            "keys": [s.key_id.hex() for s in parse_note(checkpoint.note).signatures],
        }
        for checkpoint in shown
    ]


def _key(text: str, fingerprint: str) -> dict[str, str]:
    return {"text": text, "id": text.split("+")[1], "fingerprint": fingerprint}


def _chosen_proof(request: MemberRequest) -> dict[str, Any]:
    """The form, and what came of it: a proof, what it lacks, or why there is none."""
    asked = "old" in request.GET or "new" in request.GET
    form = ConsistencyForm(request.GET if asked else None)
    if not asked or not form.is_valid():
        return {"form": form}
    try:
        proof = consistency(tenant_id=request.membership.tenant_id, **form.cleaned_data)
    except NoSuchCheckpoint as refusal:
        missing = _(
            "There is no checkpoint of %(size)s entries. Take a number from the table below."
        )
        form.add_error(None, missing % {"size": refusal.size})
        return {"form": form}
    keys = readable_chain(request.membership.tenant_id)[0].keys
    return {
        "form": form,
        "proof": proof,
        "chosen": form.cleaned_data,
        "problems": [translated(words) for words in consistency_problems(proof, keys=keys)],
    }


@require_safe
@requires(Permission.READ_AUDIT_LOG)
def audit_checkpoint(request: MemberRequest, size: int) -> HttpResponse:
    """One signed note as a file, as it was delivered."""
    found = checkpoints_of(request.membership.tenant_id).filter(size=size).first()
    if found is None:
        raise Http404
    return as_file(found.note, f"checkpoint-{size}.txt", "text/plain; charset=utf-8")


@require_safe
@requires(Permission.READ_AUDIT_LOG)
def audit_keys(request: MemberRequest) -> HttpResponse:
    """The public keys as a file, for the verifier; the page says why there is none."""
    try:
        chain = known_chain(request.membership.tenant_id)
    except OSError:
        return redirect("oversight:audit_checkpoints")
    return as_file(chain.as_text(), "public-keys.txt", "text/plain; charset=utf-8")


@require_safe
@requires(Permission.READ_AUDIT_LOG)
def audit_consistency(request: MemberRequest) -> HttpResponse:
    """The proof between two checkpoints as a file."""
    found = _chosen_proof(request)
    if "proof" not in found:
        page = reverse("oversight:audit_checkpoints")
        return redirect(f"{page}?{request.GET.urlencode()}")
    name = "consistency-{old}-{new}.json".format(**found["chosen"])
    return as_file(json.dumps(found["proof"], indent=1), name, "application/json")
