"""A small OpenID Connect provider: answers discovery, token and user info for one person."""

import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs

import jwt


@dataclass
class Identity:
    """Where it listens, and what it says about whoever signs in there."""

    url: str
    email: str = ""
    verified: object = True
    nonce: str = ""
    subject: str = "subject-1"
    asked_with: str = ""

    def answers(self) -> dict[str, dict[str, Any]]:
        """What each path says."""
        return {
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            },
            "/token": {
                "access_token": "opaque",
                "token_type": "Bearer",
                "id_token": self._identity_token(),
            },
            "/userinfo": {
                "sub": self.subject,
                "email": self.email,
                "email_verified": self.verified,
            },
        }

    def _identity_token(self) -> str:
        """Its key is no secret: what comes from the token endpoint itself needs no signature."""
        claims = {"iss": self.url, "aud": "dpgov", "sub": self.subject, "nonce": self.nonce}
        return jwt.encode({**claims, "exp": int(time.time()) + 60}, "k" * 32, algorithm="HS256")


@contextmanager
def identity_provider() -> Generator[Identity]:
    """Listen on a free port of this machine until the end of the block."""
    found = Identity(url="")

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            found.asked_with = parse_qs(body).get("code_verifier", [""])[0]
            self._say()

        def _say(self) -> None:
            said = found.answers().get(self.path.partition("?")[0])
            self.send_response(404 if said is None else 200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(said).encode())

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Answer)
    found.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
