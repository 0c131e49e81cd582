"""One request and its whole response, over a connection of its own."""

from __future__ import annotations

import base64
import contextlib
import functools
import http.client
import socket
import ssl
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping

from ._in_time import in_time


class Request:
    """Not a tuple or dataclass: its ``repr``, which debuggers and error reports show, has no header and no body."""

    __slots__ = ("body", "headers", "method", "url")

    def __init__(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> None:
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body

    def __repr__(self) -> str:
        return f"<Request {self.method} {self.url.split('?')[0]}>"


class Response:
    __slots__ = ("headers", "status", "text")

    def __init__(self, status: int, headers: http.client.HTTPMessage, text: str) -> None:
        self.status = status
        self.headers = headers
        self.text = text


class RequestFailedError(Exception):
    """No response arrived. ``nothing_sent`` if the failure came before a byte of the request left."""

    def __init__(self, failure: Exception, nothing_sent: bool) -> None:
        super().__init__("The request failed.")
        self.failure = failure
        self.nothing_sent = nothing_sent


class Exchange:
    """Sends a request and reads the whole response, without following a redirect."""

    def __init__(self, request: Request, limit: float, *, direct: bool = False, most_bytes: int | None = None) -> None:
        """``direct`` uses no proxy, whatever the environment configures."""
        self._request = request
        # A socket with the limit 0 would not wait at all.
        self._limit = max(limit, 0.001)
        self._direct = direct
        self._most_bytes = most_bytes
        self._connection: http.client.HTTPConnection | None = None
        self._nothing_sent = True
        self._aborted = False

    def run(self, late: Callable[[], Exception]) -> Response:
        """Raises ``RequestFailedError``, or what ``late`` returns if the response has not arrived within the limit."""
        failure: Exception
        try:
            return in_time(self._send, self._limit, late, self.abort)
        except (OSError, http.client.HTTPException, UnicodeError) as caught:
            failure = caught
        # Each read has the same limit as the whole, so this may come first.
        raise late() if isinstance(failure, socket.timeout) else RequestFailedError(failure, self._nothing_sent)

    def abort(self) -> None:
        self._aborted = True
        connection = self._connection
        sock = connection.sock if connection is not None else None
        if sock is not None:
            # Wakes the thread that reads; closing alone would not. A TLS socket's own method would also take its state
            # from that thread, which could then fail with any error.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def _send(self) -> Response:
        request = self._request
        connection, target, headers = _connect_to(request, self._limit, direct=self._direct)
        self._connection = connection
        try:
            connection.connect()
            if self._aborted:
                raise ConnectionAbortedError
            self._nothing_sent = False
            connection.request(request.method, target, body=request.body, headers=headers)
            response = connection.getresponse()
            content = response.read() if self._most_bytes is None else response.read(self._most_bytes + 1)
            if self._most_bytes is not None and len(content) > self._most_bytes:
                raise http.client.HTTPException("The response is too long.")
            return Response(response.status, response.headers, content.decode("utf-8-sig", "replace"))
        finally:
            connection.close()


def _connect_to(
    request: Request, limit: float, *, direct: bool
) -> tuple[http.client.HTTPConnection, str, dict[str, str]]:
    """The connection, not yet open, the target of the request line and the headers."""
    url = urllib.parse.urlsplit(request.url)
    # With a port always, because http.client takes the end of an IPv6 address for one.
    host, port = url.hostname or "", url.port or (443 if url.scheme == "https" else 80)
    target = urllib.parse.urlunsplit(("", "", url.path or "/", url.query, ""))
    headers = dict(request.headers)
    proxy = None if direct else _proxy_for(url)
    if proxy is None:
        if url.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=limit, context=_tls()), target, headers
        return http.client.HTTPConnection(host, port, timeout=limit), target, headers
    proxy_host, proxy_port = proxy.hostname or "", proxy.port or 80
    credentials = _proxy_credentials(proxy)
    if url.scheme == "https":
        tunnel = http.client.HTTPSConnection(proxy_host, proxy_port, timeout=limit, context=_tls())
        tunnel.set_tunnel(host, port, headers=credentials)
        return tunnel, target, headers
    return http.client.HTTPConnection(proxy_host, proxy_port, timeout=limit), request.url, {**headers, **credentials}


@functools.cache
def _tls() -> ssl.SSLContext:
    """Trusts the system's certificates, and those of ``SSL_CERT_FILE``."""
    return ssl.create_default_context()


def _proxy_for(url: urllib.parse.SplitResult) -> urllib.parse.SplitResult | None:
    """As ``urllib`` does: ``HTTPS_PROXY``, ``HTTP_PROXY`` and ``NO_PROXY``, or the system's settings."""
    address = urllib.request.getproxies().get(url.scheme)
    if not address or urllib.request.proxy_bypass(url.netloc):
        return None
    return urllib.parse.urlsplit(address if "//" in address else f"//{address}")


def _proxy_credentials(proxy: urllib.parse.SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    name, password = (urllib.parse.unquote(part or "") for part in (proxy.username, proxy.password))
    return {"Proxy-Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}
