"""A file that was read is not read again in a run: what came of it is copied.

The same bytes under the same declarations become the same codes, which tests/unit/engines holds.
Kept is what a reader answered, with the file that it stored; never a refusal, nor a death. Tests of
the reader's process itself are marked `real_reader`.
"""

import json
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from django.conf import settings

from dpgov.engines import child
from dpgov.engines.child_process import Limits, Progress, Watch
from tests import forked_reader

_NAMED_BY_ITS_CALLER = "target"


@contextmanager
def files_are_read_once() -> Generator[None]:
    """Within it, also in a test of the reader, which tries it on other files."""
    with patch.object(child, "converse", converse):
        yield


def converse(request: dict[str, Any], limits: Limits, watch: Watch) -> dict[str, Any]:
    """As the real one, which is asked once for each file and what is declared of it."""
    place = folder() / _name(request, limits)
    target = request.get(_NAMED_BY_ITS_CALLER)
    if place.exists():
        answer, told = json.loads(place.read_text())
        watch(Progress(*told))
        if target is not None:
            shutil.copy(place.with_suffix(".stored"), target)
        return dict(answer)
    heard = _Heard(watch)
    answer = forked_reader.converse(request, limits, heard)
    if not {"refused", "no_room"} & set(answer):
        _keep(place, target, [answer, [heard.last.rows, heard.last.bytes]])
    return answer


class _Heard:
    """Passes on how far it is, and remembers."""

    def __init__(self, watch: Watch) -> None:
        self._watch, self.last = watch, Progress()

    def __call__(self, progress: Progress) -> None:
        self.last = progress
        self._watch(progress)


def _keep(place: Path, target: str | None, said: list[Any]) -> None:
    """The answer last, and at once: who finds it finds the file, too."""
    draft = place.with_suffix(f".{uuid4()}")
    if target is not None:
        shutil.copy(target, draft)
        draft.replace(place.with_suffix(".stored"))
    draft.write_text(json.dumps(said))
    draft.replace(place)


def folder() -> Path:
    """Where this process keeps what came of files."""
    place = Path(settings.DPGOV_HOME) / "read"
    place.mkdir(parents=True, exist_ok=True)
    return place


def _name(request: dict[str, Any], limits: Limits) -> str:
    asked = {name: value for name, value in request.items() if name != _NAMED_BY_ITS_CALLER}
    whole = [_without_places(asked), limits.as_json()]
    return sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def _without_places(value: Any) -> Any:
    """Each file by what it holds, wherever it lies."""
    if isinstance(value, dict):
        return {name: _without_places(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_places(each) for each in value]
    if isinstance(value, str) and value.startswith("/") and Path(value).is_file():
        return sha256(Path(value).read_bytes()).hexdigest() + Path(value).suffix
    return value
