"""The officer's month: as a page, as a CSV file and as a report on paper. They change nothing."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.joint.selectors import joint_by_dataset
from dpgov.language.translation import english
from dpgov.oversight.month.board import colour_of, month_board
from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.days import by_day_of
from dpgov.oversight.month.letter import report_file
from dpgov.oversight.month.month import figures_of
from dpgov.oversight.month.surveys import in_sum, survey_charges
from dpgov.oversight.month.table import csv_of
from dpgov.tenants.permissions import MemberRequest, Permission, requires
from dpgov.web.pages import CSV, as_file


@require_safe
@requires(Permission.READ_AUDIT_LOG)
def month(request: MemberRequest) -> HttpResponse:
    """What happened in a month: the present one, or the one that the address names."""
    chosen = Month.read(request.GET.get("month", ""))
    figures = figures_of(request.membership.tenant, chosen, colour_of(request.GET))
    surveys = survey_charges(request.membership.tenant, chosen)
    context = {
        "board": month_board(figures, request.GET),
        "figures": figures,
        "by_day": by_day_of(chosen, figures.days),
        "month": chosen,
        "surveys": surveys,
        "in_sum": in_sum(surveys),
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
        text = csv_of(figures_of(tenant, chosen, quiet=None), joint, survey_charges(tenant, chosen))
    return as_file(text.encode(), f"month-{tenant.slug}-{chosen.text}.csv", CSV)


@require_safe
@requires(Permission.READ_AUDIT_LOG)
def month_report(request: MemberRequest) -> HttpResponse:
    """The same as a PDF: equal bytes for equal figures."""
    report = report_file(request.membership.tenant, Month.read(request.GET.get("month", "")))
    return as_file(report.content, report.name, report.content_type)
