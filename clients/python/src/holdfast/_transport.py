"""Requests with a credential, within time limits, sent again where that is safe."""

from __future__ import annotations

import json
import logging
import random
import re
import threading
import time
import urllib.parse
from collections.abc import Callable
from typing import Any, Optional

from ._checks import base_of, bounded, check_token
from ._errors import (
    GatewayError,
    HoldfastError,
    ServiceTimeoutError,
    ServiceUnreachableError,
    error_of_answer,
    unreachable,
)
from ._http import Exchange, Request, RequestFailedError, Response
from ._in_time import in_time
from ._operation import Answer, Deadline, Operation, json_bytes
from ._token import Token
from ._version import __version__

TokenFunction = Callable[[Optional[str]], str]

logger = logging.getLogger("holdfast")

_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 5.0
_LONGEST_LIMIT = 2_000_000.0


class Transport:
    def __init__(
        self,
        url: str,
        token: str | TokenFunction | None,
        *,
        timeout: float = 30.0,
        attempt_timeout: float = 10.0,
        token_timeout: float | None = None,
        retries: int = 3,
        wait: float | None = None,
        user_agent: str | None = None,
    ) -> None:
        """Without a token, requests are sent without one."""
        self.base = base_of(url)
        parts = urllib.parse.urlsplit(self.base)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self._token = Token(check_token(token)) if isinstance(token, str) else token
        self._timeout = bounded("timeout", timeout, 0.001, _LONGEST_LIMIT)
        self._attempt_timeout = bounded("attempt_timeout", attempt_timeout, 0.001, _LONGEST_LIMIT)
        token_limit = timeout if token_timeout is None else token_timeout
        self._token_timeout = bounded("token_timeout", token_limit, 0.001, _LONGEST_LIMIT)
        self._retries = int(bounded("retries", retries, 0, 100))
        self._wait = None if wait is None else bounded("wait", wait, 0, _LONGEST_LIMIT)
        self._user_agent = user_agent or f"holdfast-python/{__version__}"
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._exchanges: set[Exchange] = set()
        self._writes = 0

    @property
    def writes(self) -> int:
        """Counts finished writes, so that a read that began before one is not taken for the latest state."""
        return self._writes

    def deadline(self) -> Deadline:
        return Deadline(self._timeout)

    def close(self) -> None:
        """Ends requests and pauses of all threads."""
        with self._lock:
            self._closed.set()
            self._token = None
            exchanges = list(self._exchanges)
        for exchange in exchanges:
            exchange.abort()

    def pause(self, seconds: float) -> bool:
        """Returns whether the client was closed meanwhile."""
        return self._closed.wait(seconds)

    @property
    def is_closed(self) -> bool:
        return self._closed.is_set()

    def send(self, operation: Operation, deadline: Deadline | None = None) -> Answer:
        """Raises ``HoldfastError``.

        Repeating an operation is harmless: each one reads, or states the desired secrets. A sign-in has no retries.
        """
        try:
            return self._send_with_retries(operation, deadline or self.deadline())
        finally:
            if operation.method != "GET":
                with self._lock:
                    self._writes += 1

    def _send_with_retries(self, operation: Operation, deadline: Deadline) -> Answer:
        may_have_applied = False
        failures = 0
        wait_left = self._wait
        number = 0
        while True:
            number += 1
            try:
                return self._attempt(operation, deadline)
            except HoldfastError as caught:
                error = caught
            self._require_open()
            may_have_applied = may_have_applied or (error.outcome_unknown and operation.method != "GET")
            error.outcome_unknown = may_have_applied
            if not error.retryable:
                raise error
            delay = _jittered(number, error.retry_after or 0.0)
            if wait_left is not None and (error.status == 429 or error.retry_after is not None):
                shortest = error.retry_after or 0.0
                if wait_left <= shortest:
                    raise error
                # Clients that were limited at the same moment don't come back at the same moment.
                delay = min(wait_left, delay + random.random() * shortest / 4)
                wait_left -= delay
                deadline.at += delay
            else:
                failures += 1
                # A pause beyond the call's time limit would only delay the same error.
                if failures > self._retries or delay >= deadline.left():
                    raise error
            text = "%s %s failed (%s), attempt %d in %.1f s"
            logger.info(text, operation.method, operation.path, error.code, number + 1, delay)
            self.pause(delay)
            self._require_open()

    def _attempt(self, operation: Operation, deadline: Deadline) -> Answer:
        token = self._token_in_time(deadline, None)
        try:
            return self._exchange(operation, token, deadline)
        except HoldfastError as caught:
            error = caught
        # The service rejects a token before it does anything else, so any request can be sent again.
        if error.status != 401 or token is None or isinstance(self._token, Token):
            raise error
        renewed = self._token_in_time(deadline, token)
        if renewed is None or renewed.text == token.text:
            raise error
        return self._exchange(operation, renewed, deadline)

    def _token_in_time(self, deadline: Deadline, rejected: Token | None) -> Token | None:
        self._require_open()
        token = self._token
        if token is None or isinstance(token, Token):
            return token
        function: TokenFunction = token
        limit = self._token_timeout

        def late() -> Exception:
            message = f"The token was not available within {limit:g} seconds."
            return ServiceTimeoutError(message, "timeout", retryable=True)

        begun = time.monotonic()

        def work() -> Token:
            return Token(check_token(function(None if rejected is None else rejected.text)))

        got = in_time(work, limit, late, lambda: None)
        deadline.at += time.monotonic() - begun
        return got

    def _exchange(self, operation: Operation, token: Token | None, deadline: Deadline) -> Answer:
        limit = min(self._attempt_timeout, deadline.left())
        exchange = Exchange(self._request_of(operation, token), limit)
        with self._lock:
            self._require_open()
            self._exchanges.add(exchange)
        failed: RequestFailedError
        try:
            response = exchange.run(lambda: self._late(limit))
        except RequestFailedError as caught:
            failed = caught
        else:
            return self._answer_of(response)
        finally:
            with self._lock:
                self._exchanges.discard(exchange)
        self._require_open()
        raise unreachable(self.origin, failed.failure, nothing_sent=failed.nothing_sent)

    def _late(self, limit: float) -> HoldfastError:
        message = f"No answer from {self.origin} within {limit:.3g} seconds."
        return ServiceTimeoutError(message, "timeout", retryable=True, outcome_unknown=True)

    def _request_of(self, operation: Operation, token: Token | None) -> Request:
        headers = {"Accept": "application/json", "User-Agent": self._user_agent, **operation.headers}
        body: bytes | None = None
        if operation.body is not None:
            headers["Content-Type"] = "application/json"
            body = json_bytes(operation.body)
        if token is not None:
            headers["Authorization"] = f"Bearer {token.text}"
        query = f"?{urllib.parse.urlencode(operation.query)}" if operation.query else ""
        return Request(operation.method, self.base + operation.path + query, headers, body)

    def _answer_of(self, response: Response) -> Answer:
        # No local variable has the text, because debuggers and error reports show those.
        status, headers = response.status, response.headers
        etag = headers.get("etag")
        if status == 304:
            return Answer(status, etag, None)
        if not 200 <= status <= 299:
            raise error_of_answer(status, headers, response.text)
        try:
            return Answer(status, etag, json.loads(response.text))
        except ValueError:
            pass
        # Raised here, because the parser's error has the whole text.
        facts: dict[str, Any] = {
            "status": status,
            "request_id": headers.get("x-request-id"),
            "outcome_unknown": True,
        }
        if re.match(r"application/json\b", headers.get("content-type") or ""):
            message = f"The answer from {self.origin} was cut off."
            raise ServiceUnreachableError(message, "connection_failed", retryable=True, **facts)
        raise GatewayError(f"The answer from {self.origin} is not JSON.", "gateway_error", **facts)

    def _require_open(self) -> None:
        if self._closed.is_set():
            raise RuntimeError("This client is closed.")


def _jittered(attempt: int, retry_after: float) -> float:
    """Full jitter (AWS Architecture Blog, "Exponential backoff and jitter"), in addition to ``Retry-After``."""
    longest: float = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (attempt - 1))
    return retry_after + random.random() * longest
