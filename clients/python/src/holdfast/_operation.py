"""What is asked of the API, and its answer."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from ._errors import GatewayError


class Operation:
    """A request of the API. Like that of a request, its ``repr`` has no value."""

    __slots__ = ("body", "headers", "method", "path", "query")

    def __init__(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """``path`` begins with ``/v1``; its parameters are encoded."""
        self.method = method
        self.path = path
        self.query = query or {}
        self.body = body
        self.headers = headers or {}

    def __repr__(self) -> str:
        return f"<Operation {self.method} {self.path}>"


class Answer:
    __slots__ = ("body", "etag", "status")

    def __init__(self, status: int, etag: str | None, body: Any) -> None:
        """``body`` is the parsed JSON; None for 304."""
        self.status = status
        self.etag = etag
        self.body = body


def not_the_service(answer: Answer, *, outcome_unknown: bool = False) -> GatewayError:
    """The error for an answer that has another shape than the service's."""
    message = "The response is not from a Holdfast service."
    return GatewayError(message, "gateway_error", status=answer.status, outcome_unknown=outcome_unknown)


class Deadline:
    """The end of a call with all attempts. Waiting for a token moves it."""

    def __init__(self, timeout: float) -> None:
        self.at = time.monotonic() + timeout

    def left(self) -> float:
        return max(0.0, self.at - time.monotonic())


def json_bytes(body: Mapping[str, Any]) -> bytes:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no encoding, but an escape.
        return json.dumps(body, separators=(",", ":")).encode()
