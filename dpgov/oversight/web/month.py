"""The officer's month: as a page, as a CSV file and as a report on paper. They change nothing."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.joint.selectors import joint_by_dataset
from dpgov.language.translation import english
from dpgov.oversight.month.board import colour_of, month_board
from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.days import by_day_of
from dpgov.oversight.month.month import figures_of
from dpgov.oversight.month.table import csv_of
from dpgov.tenants.permissions import MemberRequest, Permission, requires
from dpgov.web.pages import CSV, as_file


@require_safe
@requires(Permission.READ_AUDIT_LOG)
def month(request: MemberRequest) -> HttpResponse:
    """What happened in a month: the present one, or the one that the address names."""
    chosen = Month.read(request.GET.get("month", ""))
    figures = figures_of(request.membership.tenant, chosen, colour_of(request.GET))
    context = {
        "board": month_board(figures, request.GET),
        "figures": figures,
        "by_day": by_day_of(chosen, figures.days),
        "month": chosen,
    }
    return render(request, "oversight/month/month.html", context)


@require_safe
@requires(Permission.READ_AUDIT_LOG)
def month_csv(request: MemberRequest) -> HttpResponse:
    """The same as a file for a spreadsheet."""
    chosen = Month.read(request.GET.get("month", ""))
    with english():
        tenant = request.membership.tenant
        joint = joint_by_dataset(tenant, *chosen.span())
        text = csv_of(figures_of(tenant, chosen), joint)
    return _file(request, text.encode(), chosen, "csv", CSV)


@require_safe
@requires(Permission.READ_AUDIT_LOG)
def month_report(request: MemberRequest) -> HttpResponse:
    """The same as a PDF: equal bytes for equal figures."""
    # Most of a second to load: commands never need it, web processes have it (`serving`).
    from dpgov.oversight.month.report import report_of

    chosen, tenant = Month.read(request.GET.get("month", "")), request.membership.tenant
    with english():
        content = report_of(tenant.name, figures_of(tenant, chosen))
    return _file(request, content, chosen, "pdf", "application/pdf")


def _file(
    request: MemberRequest, content: bytes, month: Month, suffix: str, content_type: str
) -> HttpResponse:
    name = f"month-{request.membership.tenant.slug}-{month.text}.{suffix}"
    return as_file(content, name, content_type)
