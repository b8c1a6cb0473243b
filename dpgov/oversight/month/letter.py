"""The report of a month as a file: for its page, and for the letter that says it is ready.

It holds names, amounts and reasons, and nothing that comes from data. By e-mail it goes to who may
read the log when the letter is sent, and to nobody else, whoever was told of it before.
"""

from dpgov.language.translation import english
from dpgov.notices.delivery.letters import Enclosure
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Event
from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.course import courses_of
from dpgov.oversight.month.month import figures_of
from dpgov.oversight.month.surveys import survey_charges
from dpgov.tenants.models import Membership, Tenant
from dpgov.tenants.permissions import Permission, may


def report_file(tenant: Tenant, month: Month) -> Enclosure:
    """The report as a PDF, with the name of its file: equal bytes for equal figures."""
    # Most of a second to load: commands never need it, web processes have it (`serving`).
    from dpgov.oversight.month.report import report_of

    with english():
        figures = figures_of(tenant, month)
        courses, surveys = courses_of(figures.stands, month), survey_charges(tenant, month)
        content = report_of(tenant.name, figures, courses, surveys)
    return Enclosure(f"month-{tenant.slug}-{month.text}.pdf", content, "application/pdf")


def enclosed(event: Event, reader: Membership) -> Enclosure | None:
    """What goes with the letter about this event: the report, to who may read the log."""
    if event.kind != Kind.MONTH or not may(reader, Permission.READ_AUDIT_LOG):
        return None
    return report_file(reader.tenant, Month.read(event.detail["month"]))
