"""Which requests are answered at all: those of this page, opened under a name of this server.

A page of a stranger could otherwise reach a server on this machine through the visitor's browser, by its own name that
it points to the loopback address (the header Host tells), or from its own origin (Origin and Sec-Fetch-Site tell).
"""

from __future__ import annotations

from flask import Flask, Response, jsonify, request

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def guard(app: Flask, hosts: frozenset[str]) -> None:
    """Have an application answer requests with one of these values of the header Host alone, and none of strangers."""

    @app.before_request
    def check() -> tuple[Response, int] | None:
        host = request.headers.get("Host", "").lower()
        if host not in hosts:
            return _refused(f"this server does not answer to the name {host!r}; it does to {', '.join(sorted(hosts))}")
        origin = request.headers.get("Origin")
        if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
            return _refused(f"requests from {origin!r} are not answered: only the page of this server may ask it")
        site = request.headers.get("Sec-Fetch-Site", "none")
        if request.path.startswith("/api/") and site not in ("none", "same-origin"):
            return _refused("requests from other sites are not answered: only the page of this server may ask it")
        if request.method == "POST" and request.mimetype != "application/json":
            return jsonify(error="the body must be JSON, with the content type application/json"), 415
        return None

    @app.after_request
    def add_headers(response: Response) -> Response:
        for name, value in _HEADERS.items():
            response.headers[name] = value
        return response


def _refused(message: str) -> tuple[Response, int]:
    return jsonify(error=message), 403
