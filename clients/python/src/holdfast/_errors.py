"""The failures of calls. No message, detail or cause holds a value or a token."""

from __future__ import annotations

import email.utils
import errno
import http.client
import json
import re
import socket
import ssl
import time
from collections.abc import Mapping
from typing import Any


class HoldfastError(Exception):
    """Every failure of a call.

    ``code`` is a code of the service, or one of the client's own: ``connection_failed``, ``timeout``, ``gateway_error``
    and ``platform_token_unavailable``.
    """

    def __init__(
        self,
        message: str,
        code: str = "",
        *,
        status: int | None = None,
        request_id: str | None = None,
        details: Any = None,
        retryable: bool = False,
        retry_after: float | None = None,
        outcome_unknown: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        #: The HTTP status; None without a response.
        self.status = status
        self.request_id = request_id
        self.details = details
        #: Whether the same call may succeed later: no connection, a timeout, 429, 502 to 504.
        self.retryable = retryable
        #: The service's ``Retry-After``, in seconds.
        self.retry_after = retry_after
        #: True if the change may have been applied even though the call failed. Read the revision before retrying.
        self.outcome_unknown = outcome_unknown


class RevisionMismatchError(HoldfastError):
    """The environment is not at the revision that the change requires."""

    @property
    def current_revision(self) -> int:
        return int(self.details["currentRevision"])


class VersionMismatchError(HoldfastError):
    """The key is not at the version that the change requires."""

    @property
    def current_version(self) -> int:
        """0 if the key does not exist."""
        return int(self.details["currentVersion"])


class ApprovalRequiredError(HoldfastError):
    """The environment requires that others approve the change. Propose it instead."""

    @property
    def propose(self) -> str:
        """The path for proposals."""
        return str(self.details["propose"])


class ServiceUnreachableError(HoldfastError):
    """The connection failed, or broke before the whole response arrived."""


class ServiceTimeoutError(HoldfastError):
    """The response, or a token, did not arrive in time."""


class GatewayError(HoldfastError):
    """A response from the gateway, a proxy or another server instead of the service."""


#: Errors with a class of their own, by code, with the detail that they need and its type.
_KINDS: Mapping[str, tuple[type[HoldfastError], str, type]] = {
    "revision_mismatch": (RevisionMismatchError, "currentRevision", int),
    "version_mismatch": (VersionMismatchError, "currentVersion", int),
    "approval_required": (ApprovalRequiredError, "propose", str),
}

#: 429 and 502 to 504 are temporary; a 500 is likely to repeat.
_PASSING_STATUSES = (429, 502, 503, 504)


def error_of_answer(status: int, headers: http.client.HTTPMessage, text: str) -> HoldfastError:
    """The error for a failed response with the body ``text``."""
    body = _json_object(text)
    error = body.get("error") if body is not None else None
    error = error if isinstance(error, dict) else {}
    # A proxy may strip the headers, so the service also puts the request id in the body.
    id_in_body = error.get("requestId")
    facts: dict[str, Any] = {
        "status": status,
        "request_id": headers.get("x-request-id")
        or (id_in_body if isinstance(id_in_body, str) else None)
        or headers.get("apigw-requestid"),
        "retryable": status in _PASSING_STATUSES,
        "retry_after": _retry_after(headers.get("retry-after")),
        "outcome_unknown": status >= 500,
    }
    code, message, details = error.get("code"), error.get("message"), error.get("details")
    if not isinstance(code, str) or not isinstance(message, str):
        said = body.get("message") if body is not None else None
        quoted = f": {said[:200]}" if isinstance(said, str) else ""
        kind = " with a web page" if body is None and "html" in (headers.get("content-type") or "") else ""
        return GatewayError(f"Not the service but a gateway answered {status}{kind}{quoted}.", "gateway_error", **facts)
    own_class, detail, detail_type = _KINDS.get(code, (HoldfastError, "", str))
    has_detail = isinstance(details, dict) and isinstance(details.get(detail), detail_type)
    kind_of_error = own_class if has_detail else HoldfastError
    return kind_of_error(_with_problems(message, details), code, details=details, **facts)


def unreachable(origin: str, failure: Exception, *, nothing_sent: bool) -> ServiceUnreachableError:
    """The error for a request that got no response."""
    is_certificate = isinstance(failure, ssl.SSLCertVerificationError)
    # Retrying does not help with a rejected certificate, nor with a server that speaks no TLS.
    is_final = is_certificate or (nothing_sent and isinstance(failure, ssl.SSLError) and not _is_closed(failure))
    problem = ": its certificate is not trusted" if is_certificate else ""
    why = reason_of(failure)
    error = ServiceUnreachableError(
        f"No connection to {origin}{problem} ({why}).",
        "connection_failed",
        retryable=not is_final,
        outcome_unknown=not nothing_sent,
    )
    # Its frames hold the request with its token and values, which debuggers and error reports show.
    error.__cause__ = failure.with_traceback(None)
    return error


def _is_closed(failure: ssl.SSLError) -> bool:
    return isinstance(failure, (ssl.SSLEOFError, ssl.SSLZeroReturnError))


def reason_of(failure: BaseException | None) -> str:
    """Why a file or a connection failed. An error's own message may quote what was sent."""
    if isinstance(failure, (socket.timeout, ServiceTimeoutError)):
        return "no answer in time"
    if isinstance(failure, ssl.SSLCertVerificationError):
        return failure.verify_message
    if isinstance(failure, ssl.SSLError):
        return failure.reason or "TLS failed"
    if isinstance(failure, socket.gaierror):
        return "EAI_AGAIN" if failure.errno == socket.EAI_AGAIN else "ENOTFOUND"
    if isinstance(failure, http.client.RemoteDisconnected):
        return "ECONNRESET"
    number = failure.errno if isinstance(failure, OSError) else None
    return "no usable answer" if number is None else errno.errorcode.get(number, "no usable answer")


def _retry_after(header: str | None) -> float | None:
    """Seconds or an HTTP date (RFC 9110, 10.2.3)."""
    if header is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", header):
        return float(header)
    try:
        date = email.utils.parsedate_to_datetime(header)
    except (TypeError, ValueError):
        return None
    return max(0.0, date.timestamp() - time.time())


def _with_problems(message: str, details: Any) -> str:
    """The service's message describes the first problem; this adds the others."""
    if not isinstance(details, list):
        return message
    problems = [
        f"{one['path'] or 'body'}: {one['message']}"
        for one in details
        if isinstance(one, dict) and isinstance(one.get("path"), str) and isinstance(one.get("message"), str)
    ]
    following = problems[1:5]
    if not following:
        return message
    more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
    first = re.sub(r" \(and [0-9]+ more\)$", "", message)
    return f"{first}; {'; '.join(following)}{more}"


def _json_object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
