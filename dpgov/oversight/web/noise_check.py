"""What the last noise check found, for officers. Of made-up tables: never of data."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from dpgov.language.translation import translated
from dpgov.noise_check.cases import TITLES
from dpgov.noise_check.findings import Finding, NoiseReport, Verdict, last_report
from dpgov.tenants.permissions import Permission, requires

_WORDS = {
    Verdict.FINE: gettext_lazy("Every claim was kept, and every control was caught."),
    Verdict.BROKEN: gettext_lazy(
        "At least one statistic loses more privacy than it is charged for."
    ),
    Verdict.CANNOT_TELL: gettext_lazy("For at least one statistic the run could not tell."),
}
_SHORT = {
    Verdict.FINE: gettext_lazy("fine"),
    Verdict.BROKEN: gettext_lazy("broken"),
    Verdict.CANNOT_TELL: gettext_lazy("cannot tell"),
}
_BADGES = {
    Verdict.FINE: "text-bg-success",
    Verdict.BROKEN: "text-bg-danger",
    Verdict.CANNOT_TELL: "text-bg-warning",
}


@requires(Permission.READ_AUDIT_LOG)
@require_safe
def noise_check(request: HttpRequest) -> HttpResponse:
    """The last run, a line for each statistic and mode."""
    report = last_report()
    context = {} if report is None else _shown(report)
    return render(request, "oversight/noise_check.html", context)


def _shown(report: NoiseReport) -> dict[str, Any]:
    first = report.findings[0] if report.findings else None
    return {
        "at": datetime.fromtimestamp(report.at, UTC),
        "verdict": _SHORT[report.verdict],
        "badge": _BADGES[report.verdict],
        "words": _WORDS[report.verdict],
        "confidence": f"{100 * (1 - first.false_alarm):.4f}" if first else "",
        "rows": [_row(finding) for finding in report.findings],
    }


def _row(finding: Finding) -> dict[str, Any]:
    pure = finding.mode == "pure"
    return {
        "finding": finding,
        "loss": "ε" if pure else "ρ",
        "mode": "ε" if pure else _("ρ, with δ"),
        "claim": f"{finding.claim:g}",
        "bound": f"{finding.bound:.3f}",
        "control": f"{finding.control:.3f}",
        "weakened": f"{finding.weakened:g}",
        "badge": _BADGES[finding.verdict],
        "verdict": _SHORT[finding.verdict],
        "title": _(TITLES[finding.name]),
        "problem": translated(finding.outcome) if finding.problem else "",
        **_at_delta(finding),
    }


def _at_delta(finding: Finding) -> dict[str, str]:
    """The same in ε, under zCDP."""
    if finding.epsilon_bound is None or finding.epsilon_claim is None:
        return {}
    bound, claim = finding.epsilon_bound, finding.epsilon_claim
    return {"epsilon_bound": f"{bound:.2f}", "epsilon_claim": f"{claim:.2f}"}
