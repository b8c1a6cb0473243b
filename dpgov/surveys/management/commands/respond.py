"""Answer a survey from a command line: randomise here, by OpenDP, and send the report alone.

The report is kept before it is sent, so that a second try sends the same and never draws again.
"""

import json
import secrets
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.local.drawing import randomise
from dpgov.privacy.local.randomiser import LocalKind, Randomiser
from dpgov.surveys.kept_reports import KeptReport, NotKept, path_of, usual_folder

_SECONDS = 30
_USUAL_PORTS = {"http": ":80", "https": ":443"}


class NotCounted(CommandError):
    """The server answered that it did not count it; `code` says why."""

    def __init__(self, why: str, code: str) -> None:
        super().__init__(why)
        self.code = code


class Command(BaseCommand):
    """Touches no database: it is a respondent's program."""

    help = "Answer a survey: the answer is randomised on this machine, and the report is sent."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "link", nargs="?", help="the whole link that you were given; left out: read from input"
        )
        parser.add_argument(
            "answer",
            nargs="?",
            help="your true answer, as the survey writes it; left out: read from input, so that "
            "nobody on this machine sees it in a list of processes",
        )
        parser.add_argument("--print", action="store_true", help="print a report and send nothing")
        parser.add_argument(
            "--keep-in",
            type=Path,
            metavar="FOLDER",
            help="where the report is kept, so that a second try sends the same; usually "
            "dpgov in $XDG_STATE_HOME or in ~/.local/state",
        )

    def handle(self, *args: Any, link: str | None, answer: str | None, **options: Any) -> None:
        address, token = _parts(link or self._typed("Link: "))
        form = _ask(address)
        randomiser = _randomiser(form)
        token = token if form["by_token"] else ""
        self.stdout.write(f"One report tells ε {as_text(randomiser.epsilon_nano)} of your answer.")
        if options["print"]:
            self.stdout.write(f"report: {self._drawn(form, randomiser, answer)}")
            return
        path = path_of(options["keep_in"] or usual_folder(), address, token)
        try:
            kept = KeptReport.found(path)
            if kept is None:
                report = self._drawn(form, randomiser, answer)
                # Without a token the program draws one of its own, once as well.
                kept = KeptReport.drawn(path, token=token or secrets.token_hex(16), report=report)
        except NotKept as refused:
            raise CommandError(
                f"The report cannot be kept in {path}, and so nothing was sent: a second try would "
                "draw again and tell more. Name another folder with --keep-in."
            ) from refused
        self._send(address, kept)

    def _drawn(self, form: dict[str, Any], randomiser: Randomiser, answer: str | None) -> str:
        true = answer if answer is not None else self._typed("Answer: ")
        if true not in form["labels"]:
            known = ", ".join(form["labels"])
            raise CommandError(f"This survey has the answers: {known}.")
        return randomise(randomiser, form["labels"].index(true))

    def _send(self, address: str, kept: KeptReport) -> None:
        if not kept.is_new:
            self.stdout.write(f"Sending again what was drawn before and kept in {kept.path}.")
        self.stdout.write(f"report: {kept.report}")
        try:
            _ask(address, {"token": kept.token, "report": kept.report})
        except NotCounted as refusal:
            if refusal.code != "token_spent":
                raise
            if kept.is_new:
                kept.belongs_to_another()
            if kept.is_new or kept.refused:
                raise
        self.stdout.write("It was counted. Do not answer again: another draw would tell more.")

    def _typed(self, prompt: str) -> str:
        if sys.stdin.isatty():
            self.stderr.write(prompt, ending="")
        return sys.stdin.readline().strip()


def _parts(link: str) -> tuple[str, str]:
    """The API's address of the survey, and the token behind "#".

    However the host is written: what was kept is found by the address.
    """
    found = urlsplit(link)
    parts = found.path.strip("/").split("/")
    if found.scheme not in _USUAL_PORTS or len(parts) < 2 or parts[-2] != "s":
        raise CommandError("Give the whole link of the survey: https://…/s/…/#…")
    before = "/".join(parts[:-2])
    host = found.netloc.rpartition("@")[2].lower().removesuffix(_USUAL_PORTS[found.scheme])
    root = f"{found.scheme}://{host}/{before}/".rstrip("/")
    return f"{root}/api/v1/answer/{parts[-1]}/", found.fragment


def _randomiser(form: dict[str, Any]) -> Randomiser:
    """Thresholds that are no randomiser's are refused before anything is drawn."""
    try:
        kind = LocalKind(form["mechanism"])
        return Randomiser(kind, len(form["labels"]), form["kept"], form["other"])
    except ValueError as broken:
        raise CommandError("The rule of this survey is broken. Nothing was sent.") from broken


def _ask(address: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(address, data=data, headers=headers)  # noqa: S310 - http(s)
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
            found: dict[str, Any] = json.load(answer)
            return found
    except urllib.error.HTTPError as refused:
        with refused:
            raise _refusal(refused) from None
    except OSError as away:
        raise CommandError("The survey's server does not answer. Try the same later.") from away


def _refusal(refused: urllib.error.HTTPError) -> NotCounted:
    try:
        error = json.load(refused)["errors"][0]
        return NotCounted(str(error["detail"]), str(error["code"]))
    except (ValueError, LookupError, TypeError):
        return NotCounted(f"The server refused with {refused.code}.", "")
