"""A file that was sent to a page: taken, or the reason why not at its field."""

from collections.abc import Callable

import structlog
from django.conf import settings
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from dpgov.datasets import services
from dpgov.datasets.intake import SpooledFile, SpoolHandler
from dpgov.datasets.models import Upload
from dpgov.datasets.storage import NoRoom, Spool
from dpgov.datasets.web.forms.dataset import UploadForm
from dpgov.language.translation import translated

_log = structlog.get_logger("dpgov.datasets")
NO_ROOM = 507
Take = Callable[[str, Spool], Upload]


def taken(form: UploadForm, handler: SpoolHandler, take: Take) -> Upload | None:
    """What `take` makes of the file's name and bytes; None where the form says why there is none.

    Raises UploadUsed and UploadBusy, if `take` does.
    """
    if problem := _not_stored(handler):
        form.errors.clear()
        form.add_error("file", problem)
        return None
    if not form.is_valid():
        return None
    file: SpooledFile = form.cleaned_data["file"]
    try:
        return take(file.name or "", file.spool)
    except services.RefusedFile as refusal:
        form.add_error("file", translated(refusal.args[0]))
    except NoRoom:
        handler.no_room = True
        form.add_error("file", _not_stored(handler))
    except services.Busy:
        form.add_error("file", _("Too many files arrive at present. Send it again in a minute."))
    return None


def _not_stored(handler: SpoolHandler) -> str:
    """Why the file was dropped while it arrived, if it was."""
    if handler.no_room:
        _log.error("no room for an upload in the state folder")
        return str(NoRoom())
    if handler.too_large:
        size = number_format(settings.DPGOV_UPLOAD_MAX_BYTES // 1_000_000, force_grouping=True)
        too_large = _("The file is larger than {megabytes} MB. Split or shorten it.")
        return too_large.format(megabytes=size)
    return ""
