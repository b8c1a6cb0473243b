"""The list of one's own sessions names browsers as people know them."""

import pytest

from dpgov.tenants.templatetags.browsers import browser_words

_MOZILLA = "Mozilla/5.0"
_WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
CASES = [
    (f"{_MOZILLA} (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox on Linux"),
    (f"{_MOZILLA} (Windows NT 10.0) {_WEBKIT} Chrome/142.0 Safari/537.36", "Chrome on Windows"),
    (
        f"{_MOZILLA} (Windows NT 10.0) {_WEBKIT} Chrome/142.0 Safari/537 Edg/142.0",
        "Edge on Windows",
    ),
    (f"{_MOZILLA} (Macintosh; Intel Mac OS X 10_15) {_WEBKIT} Safari/605.1", "Safari on macOS"),
    (f"{_MOZILLA} (iPhone; CPU like Mac OS X) {_WEBKIT} CriOS/142 Safari/604", "Chrome on iPhone"),
    (f"{_MOZILLA} (Linux; Android 15) {_WEBKIT} Chrome/142.0 Safari/537", "Chrome on Android"),
    ("curl/8.5.0", "curl"),
    ("Something else", "Something else"),
    ("<script>", "<script>"),
]


@pytest.mark.parametrize(("sent", "words"), CASES)
def test_a_browser_is_named_in_words(sent: str, words: str) -> None:
    assert browser_words(sent) == words
