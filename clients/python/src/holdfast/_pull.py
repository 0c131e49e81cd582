"""Pulls of one environment, which remember the latest answer for its ETag."""

from __future__ import annotations

import json
import threading
import time
import urllib.parse
from typing import Any, Callable, Mapping, Optional, Sequence

from ._errors import GatewayError, HoldfastError, RevisionMismatchError
from ._in_time import SharedCalls
from ._operation import Answer, Deadline, Operation
from ._snapshot import Snapshot
from ._transport import Transport


class Put:
    """A value to set. Its ``repr`` doesn't show it."""

    __slots__ = ("expand", "value")

    def __init__(self, value: str, expand: bool) -> None:
        self.value = value
        self.expand = expand


class Pulled:
    __slots__ = ("at", "entries", "etag", "snapshot", "writes")

    def __init__(self, snapshot: Snapshot, entries: Sequence[Mapping[str, Any]], etag: str | None) -> None:
        self.snapshot = snapshot
        self.entries = entries
        self.etag = etag
        #: ``time.time()`` and the transport's count of writes when the request began.
        self.at = 0.0
        self.writes = 0

    def begun(self, at: float, writes: int) -> Pulled:
        again = Pulled(self.snapshot, self.entries, self.etag)
        again.at, again.writes = at, writes
        return again


class Puller:
    def __init__(self, transport: Transport, path: str) -> None:
        """``path`` is that of the environment, encoded."""
        self._transport = transport
        self._path = path
        self._shared: SharedCalls[Pulled] = SharedCalls()
        self._lock = threading.Lock()
        self._latest: Pulled | None = None

    def forget(self) -> None:
        with self._lock:
            self._latest = None

    def pull(
        self,
        *,
        revision: int | None,
        keys: Sequence[str] | None,
        raw: bool,
        max_age: float,
        stale_if_error: float,
    ) -> Snapshot:
        writes = self._transport.writes
        if revision is not None or keys is not None or raw:
            query = _query_of(revision, keys, raw)
            return self._shared.call((writes, json.dumps(query)), lambda: self._pull_once(query)).snapshot
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
        return latest.snapshot.as_stale()

    def pull_latest(self, deadline: Deadline | None = None) -> Pulled:
        at, writes, known = time.time(), self._transport.writes, self._latest
        headers = {} if known is None or known.etag is None else {"If-None-Match": known.etag}
        try:
            answer = self._transport.send(Operation("GET", self._path, headers=headers), deadline)
        except HoldfastError as error:
            # A client that lost its read access must not be served from memory later.
            if error.status in (401, 403, 404):
                self.forget()
            raise
        pulled = (known if answer.status == 304 and known is not None else _pulled_of(answer)).begun(at, writes)
        with self._lock:
            # A pull that began before a write may end after a pull that began later.
            if not self._transport.is_closed and (self._latest is None or self._latest.writes <= writes):
                self._latest = pulled
        return pulled

    def look(
        self, error: HoldfastError, wanted: Mapping[str, Optional[Put]], deadline: Deadline
    ) -> Optional[Pulled]:
        """Checks with one pull whether a write was applied: whether the secrets are as wanted, where None is deleted.

        It is never shared: a shared pull may have started before the write.
        """
        is_expanding = any(put is not None and put.expand for put in wanted.values())
        pulled = self._pull_once({"raw": "true"}, deadline) if is_expanding else self.pull_latest(deadline)
        snapshot = pulled.snapshot
        if all(_is_as_wanted(snapshot, key, put) for key, put in wanted.items()):
            return pulled
        # Only one change can have led to that revision, and it was a different one.
        if isinstance(error, RevisionMismatchError) and error.current_revision == snapshot.revision:
            error.outcome_unknown = False
        return None

    def _pull_once(self, query: Mapping[str, str], deadline: Deadline | None = None) -> Pulled:
        return _pulled_of(self._transport.send(Operation("GET", self._path, query=query), deadline))


def _query_of(revision: int | None, keys: Sequence[str] | None, raw: bool) -> dict[str, str]:
    if isinstance(keys, str):
        raise TypeError("keys must be a list of keys.")
    query = {} if revision is None else {"revision": str(revision)}
    if keys is not None:
        query["keys"] = ",".join(keys)
    if raw:
        query["raw"] = "true"
    return query


def _is_as_wanted(snapshot: Snapshot, key: str, put: Optional[Put]) -> bool:
    if put is None:
        return key not in snapshot
    return snapshot.get(key) == put.value and snapshot.expands(key) == put.expand


def _is_younger(pulled: Pulled, limit: float) -> bool:
    # If the clock was set back, the age is unknown.
    return 0 <= time.time() - pulled.at < limit


def is_outage(error: HoldfastError) -> bool:
    """Whether the service failed to answer, as opposed to refusing."""
    return error.status is None or error.retryable or error.status >= 500


def _pulled_of(answer: Answer) -> Pulled:
    body = answer.body if isinstance(answer.body, dict) else {}
    revision, entries = body.get("revision"), body.get("secrets")
    if not isinstance(revision, int) or not isinstance(entries, list) or not all(map(_is_entry, entries)):
        # Debuggers and error reports show the local variables of each frame.
        del body, entries
        raise GatewayError("The response is not from a Holdfast service.", "gateway_error", status=answer.status)
    values = {entry["key"]: entry["value"] for entry in entries}
    expanding = {entry["key"] for entry in entries if entry.get("expand") is True}
    return Pulled(Snapshot(revision, values, expanding=expanding), entries, answer.etag)


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("key"), str) and isinstance(entry.get("value"), str)


def path_of(name: str) -> str:
    """The path of ``organization/project/environment``. Raises ``ValueError`` for a name that is not one."""
    parts = name.split("/")
    # A URL parser resolves dot segments, so they would name another path.
    if len(parts) != 3 or any(part in ("", ".", "..") for part in parts):
        raise ValueError("Name an environment as organization/project/environment.")
    return "/v1/secrets/" + "/".join(urllib.parse.quote(part, safe="!'()*") for part in parts)


OnError = Callable[[HoldfastError], None]
