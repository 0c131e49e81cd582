"""Signs in as an identity with the platform's ID token."""

from __future__ import annotations

import datetime
import re
import threading
import time
from collections.abc import Callable

from ._errors import HoldfastError
from ._in_time import SharedCalls
from ._operation import Operation, not_the_service
from ._transport import Transport

#: Every source of ID tokens and the exchange have shorter limits of their own.
IDENTITY_TIMEOUT = 90.0

#: Tokens are replaced this long before they expire, so that none expires in transit.
_REPLACED_BEFORE = 60.0


def no_id_token(message: str, *, retryable: bool = False, cause: BaseException | None = None) -> HoldfastError:
    """``message`` is one sentence: what was tried, and what to set."""
    error = HoldfastError(message, "platform_token_unavailable", retryable=retryable)
    if cause is not None:
        # Its frames may hold a token.
        error.__cause__ = cause.with_traceback(None)
    return error


def audience_of(identity: str) -> str:
    """The ``aud`` that the platform's token must have."""
    return f"holdfast:identity:{identity}"


def check_id_token(title: str, text: object) -> str:
    """A token in a form that can't be one is not sent, and never quoted."""
    token = text.strip() if isinstance(text, str) else ""
    if re.fullmatch(r"[\x20-\x7e]+", token):
        return token
    problem = "something other than a token" if token else "no token"
    # Debuggers and error reports show the local variables of each frame.
    del text, token
    raise no_id_token(f"{title} provided {problem}: it must be one line of printable ASCII characters.")


class _Issued:
    __slots__ = ("replace_at", "token")

    def __init__(self, token: str, replace_at: float) -> None:
        self.token = token
        self.replace_at = replace_at


class IdentityToken:
    """A function for the client's ``token`` that signs in as an identity.

    It signs in again before the token expires, and again if the service rejected the token. Concurrent calls share one
    exchange.
    """

    def __init__(
        self, url: str, organization: str, identity: str, assertion: Callable[[], str], user_agent: str | None
    ) -> None:
        self._transport = Transport(url, None, retries=0, user_agent=user_agent)
        self._organization = organization
        self._identity = identity
        self._assertion = assertion
        self._shared: SharedCalls[_Issued] = SharedCalls()
        self._lock = threading.Lock()
        self._current: _Issued | None = None

    def __call__(self, rejected: str | None) -> str:
        with self._lock:
            current = self._current
            # Another call may have replaced it meanwhile.
            if current is not None and current.token == rejected:
                current = self._current = None
        if current is None or time.time() >= current.replace_at:
            current = self._shared.call("", self._exchange)
        return current.token

    def _exchange(self) -> _Issued:
        body = {
            "identityId": self._identity,
            "organizationSlug": self._organization,
            "subjectToken": self._assertion(),
        }
        try:
            answer = self._transport.send(Operation("POST", "/v1/auth/exchange", body=body))
        except HoldfastError as error:
            # The call that needs the token has not been sent.
            error.outcome_unknown = False
            raise
        issued = _issued_in(answer.body)
        if issued is None:
            raise not_the_service(answer)
        with self._lock:
            self._current = issued
        return issued


def _issued_in(body: object) -> _Issued | None:
    given = body if isinstance(body, dict) else {}
    token, expires_at = given.get("token"), given.get("expiresAt")
    if not isinstance(token, str) or not isinstance(expires_at, str):
        return None
    try:
        expires = datetime.datetime.fromisoformat(expires_at.replace("Z", "+00:00"))
    except ValueError:
        return None
    return _Issued(token, expires.timestamp() - _REPLACED_BEFORE)
