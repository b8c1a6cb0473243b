"""Answer a survey from a command line: randomise here, by OpenDP, and send the report alone."""

import json
import secrets
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dpgov.privacy.local.drawing import randomise
from dpgov.privacy.local.randomiser import LocalKind, Randomiser

_SECONDS = 30


class Command(BaseCommand):
    """Touches no database: it is a respondent's program."""

    help = "Answer a survey: the answer is randomised on this machine, and the report is sent."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("link", help="the whole link that you were given")
        parser.add_argument("answer", help="your true answer, as the survey writes it")
        parser.add_argument("--print", action="store_true", help="print a report and send nothing")

    def handle(self, *args: Any, link: str, answer: str, **options: Any) -> None:
        address, token = _parts(link)
        form = _ask(address)
        if answer not in form["labels"]:
            known = ", ".join(form["labels"])
            raise CommandError(f"This survey has the answers: {known}.")
        report = randomise(_randomiser(form), form["labels"].index(answer))
        self.stdout.write(f"report: {report}")
        if options["print"]:
            return
        body = {"token": token if form["by_token"] else secrets.token_hex(16), "report": report}
        _ask(address, body)
        self.stdout.write("It was counted. Do not answer again: another draw would tell more.")


def _parts(link: str) -> tuple[str, str]:
    """The API's address of the survey, and the token behind "#"."""
    found = urlsplit(link)
    parts = found.path.strip("/").split("/")
    if found.scheme not in ("http", "https") or len(parts) < 2 or parts[-2] != "s":
        raise CommandError("Give the whole link of the survey: https://…/s/…/#…")
    before = "/".join(parts[:-2])
    root = f"{found.scheme}://{found.netloc}/{before}/".rstrip("/")
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
            raise CommandError(_why(refused)) from None
    except OSError as away:
        raise CommandError("The survey's server does not answer. Try the same later.") from away


def _why(refused: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(refused)["errors"][0]["detail"])
    except (ValueError, LookupError, TypeError):
        return f"The server refused with {refused.code}."
