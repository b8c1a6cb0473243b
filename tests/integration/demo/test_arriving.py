"""While the demonstration's past arrives everybody may look, and nobody may act."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dpgov.demo.arriving import Arriving, Start
from dpgov.demo.past import ended, tell

_PAGE = b'<html><body><main id="main">Datasets</main></body></html>'


@dataclass
class Site:
    """A site that notes who asked it for what."""

    asked: list[str] = field(default_factory=list)
    language: str = "en-gb"

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        self.asked.append(f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}")
        kind, length = ("Content-Type", "text/html"), ("Content-Length", str(len(_PAGE)))
        start("200 OK", [kind, length, ("Content-Language", self.language)])
        return [_PAGE]


@dataclass
class Visitor:
    """Somebody at that site, and what they last saw."""

    site: Site
    status: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def open(self, method: str, path: str) -> str:
        def start(status: str, headers: list[tuple[str, str]], *_: object) -> None:
            self.status, self.headers = status, dict(headers)

        environ = {"REQUEST_METHOD": method, "PATH_INFO": path}
        body = b"".join(Arriving(self.site)(environ, start))
        assert int(self.headers.get("Content-Length", 0)) == len(body)
        return body.decode()


@pytest.fixture
def visitor(tmp_path: Path, settings: Any) -> Visitor:
    settings.DPGOV_HOME = tmp_path
    tell(34)
    return Visitor(Site())


@pytest.mark.parametrize("path", ["/", "/datasets/adult/ask/", "/join/abc/", "/api/v1/queries/"])
def test_nothing_of_today_gets_into_a_log_that_has_not_come_so_far(
    visitor: Visitor, path: str
) -> None:
    """L34: what could write is answered in the site's place, with how far the past has come."""
    assert "day 34 of 90" in visitor.open("POST", path)
    assert (visitor.status[:3], visitor.site.asked) == ("503", [])


def test_every_page_is_there_and_says_how_far_the_past_has_come(visitor: Visitor) -> None:
    page = visitor.open("GET", "/datasets/")
    assert "day 34 of 90" in page.split("<main")[0]
    assert "you can upload, ask and decide as soon as" in " ".join(page.split())
    assert "Datasets" in page


def test_signing_in_is_in_no_log_and_so_is_open(visitor: Visitor) -> None:
    visitor.open("POST", "/account/login/")
    assert visitor.site.asked == ["POST /account/login/"]


def test_once_the_past_is_over_the_site_stands_alone(visitor: Visitor) -> None:
    ended()
    assert visitor.open("POST", "/") == _PAGE.decode()
    assert visitor.site.asked == ["POST /"]
