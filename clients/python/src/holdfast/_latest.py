"""A pull that is sent again and again, and its latest answer, which is kept for its ETag."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from ._errors import HoldfastError
from ._in_time import SharedCalls
from ._operation import Answer, Deadline, Operation
from ._snapshot import Snapshot
from ._transport import Transport

S = TypeVar("S", bound=Snapshot)


class Pulled(Generic[S]):
    """What a pull returned."""

    __slots__ = ("at", "entries", "etag", "snapshot", "writes")

    def __init__(self, snapshot: S, entries: Sequence[Mapping[str, Any]], etag: str | None) -> None:
        self.snapshot = snapshot
        self.entries = entries
        self.etag = etag
        #: ``time.time()`` and the transport's count of writes when the request began.
        self.at = 0.0
        self.writes = 0

    def begun(self, at: float, writes: int) -> Pulled[S]:
        again = Pulled(self.snapshot, self.entries, self.etag)
        again.at, again.writes = at, writes
        return again


class Latest(Generic[S]):
    def __init__(
        self,
        transport: Transport,
        path: str,
        query: Mapping[str, str],
        pulled_of: Callable[[Answer], Pulled[S]],
        stale_of: Callable[[S], S],
    ) -> None:
        """``path`` is that of the environment, encoded, and ``query`` what each pull sends."""
        self._transport = transport
        self._path = path
        self._query = query
        self._pulled_of = pulled_of
        self._stale_of = stale_of
        self._shared: SharedCalls[Pulled[S]] = SharedCalls()
        self._lock = threading.Lock()
        self._latest: Pulled[S] | None = None

    def forget(self) -> None:
        with self._lock:
            self._latest = None

    def pull(self, query: Mapping[str, str], *, max_age: float, stale_if_error: float) -> S:
        """With a ``query`` the answer is another one than the latest, so it is not kept."""
        writes = self._transport.writes
        if query:
            return self._shared.call((writes, json.dumps(query)), lambda: self.pull_once(query)).snapshot
        latest = self._latest
        if latest is not None and latest.writes == writes and _is_younger(latest, max_age):
            return latest.snapshot
        try:
            return self._shared.call((writes, ""), self.pull_latest).snapshot
        except HoldfastError as caught:
            error = caught
        latest = self._latest
        if latest is None or not is_outage(error) or not _is_younger(latest, stale_if_error):
            raise error
        return self._stale_of(latest.snapshot)

    def pull_once(self, query: Mapping[str, str], deadline: Deadline | None = None) -> Pulled[S]:
        operation = Operation("GET", self._path, query={**self._query, **query})
        return self._pulled_of(self._transport.send(operation, deadline))

    def pull_latest(self, deadline: Deadline | None = None) -> Pulled[S]:
        at, writes, known = time.time(), self._transport.writes, self._latest
        headers = {} if known is None or known.etag is None else {"If-None-Match": known.etag}
        try:
            answer = self._transport.send(Operation("GET", self._path, query=self._query, headers=headers), deadline)
        except HoldfastError as error:
            # A client that lost its read access must not be served from memory later.
            if error.status in (401, 403, 404):
                self.forget()
            raise
        pulled = known if answer.status == 304 and known is not None else self._pulled_of(answer)
        pulled = pulled.begun(at, writes)
        with self._lock:
            # A pull that began before a write may end after a pull that began later.
            if not self._transport.is_closed and (self._latest is None or self._latest.writes <= writes):
                self._latest = pulled
        return pulled


def query_of(*, revision: int | None = None, keys: Sequence[str] | None = None, raw: bool = False) -> dict[str, str]:
    """Empty for the latest secrets as a whole."""
    if isinstance(keys, str):
        raise TypeError("keys must be a list of keys.")
    query = {} if revision is None else {"revision": str(revision)}
    if keys is not None:
        query["keys"] = ",".join(keys)
    if raw:
        query["raw"] = "true"
    return query


def _is_younger(pulled: Pulled[Any], limit: float) -> bool:
    # If the clock was set back, the age is unknown.
    return 0 <= time.time() - pulled.at < limit


def is_outage(error: HoldfastError) -> bool:
    """Whether the service failed to answer, as opposed to refusing."""
    return error.status is None or error.retryable or error.status >= 500
