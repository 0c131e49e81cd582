"""Pulls of one environment."""

from __future__ import annotations

import urllib.parse
from collections.abc import Mapping, Sequence
from typing import Any

from ._errors import HoldfastError, RevisionMismatchError
from ._latest import Latest, Pulled, query_of
from ._operation import Answer, Deadline, not_the_service
from ._snapshot import Snapshot
from ._transport import Transport


class Put:
    """A value to set. Its ``repr`` doesn't show it."""

    __slots__ = ("expand", "value")

    def __init__(self, value: str, expand: bool) -> None:
        self.value = value
        self.expand = expand


class Puller:
    def __init__(self, transport: Transport, path: str) -> None:
        """``path`` is that of the environment, encoded."""
        self._latest = Latest(transport, path, {}, _pulled_of, Snapshot._as_stale)

    def forget(self) -> None:
        self._latest.forget()

    def pull(
        self,
        *,
        revision: int | None,
        keys: Sequence[str] | None,
        raw: bool,
        max_age: float,
        stale_if_error: float,
    ) -> Snapshot:
        query = query_of(revision=revision, keys=keys, raw=raw)
        return self._latest.pull(query, max_age=max_age, stale_if_error=stale_if_error)

    def look(
        self, error: HoldfastError, wanted: Mapping[str, Put | None], deadline: Deadline
    ) -> Pulled[Snapshot] | None:
        """Checks with one pull whether a write was applied: whether the secrets are as wanted, where None is deleted.

        It is never shared: a shared pull may have started before the write.
        """
        is_expanding = any(put is not None and put.expand for put in wanted.values())
        latest = self._latest
        pulled = latest.pull_once(query_of(raw=True), deadline) if is_expanding else latest.pull_latest(deadline)
        snapshot = pulled.snapshot
        if all(_is_as_wanted(snapshot, key, put) for key, put in wanted.items()):
            return pulled
        # Only one change can have led to that revision, and it was a different one.
        if isinstance(error, RevisionMismatchError) and error.current_revision == snapshot.revision:
            error.outcome_unknown = False
        return None


def _is_as_wanted(snapshot: Snapshot, key: str, put: Put | None) -> bool:
    if put is None:
        return key not in snapshot
    return snapshot.get(key) == put.value and snapshot.expands(key) == put.expand


def _pulled_of(answer: Answer) -> Pulled[Snapshot]:
    revision, entries = secrets_in(answer)
    snapshot = Snapshot(revision, values_of(entries), expanding=expanding_among(entries))
    return Pulled(snapshot, entries, answer.etag)


def secrets_in(answer: Answer) -> tuple[int, Sequence[Mapping[str, Any]]]:
    """The revision and the entries. Raises ``GatewayError`` if the answer is not the service's."""
    body = answer.body if isinstance(answer.body, dict) else {}
    revision, entries = body.get("revision"), body.get("secrets")
    # JSON's true and false would be an int too.
    if type(revision) is int and isinstance(entries, list) and all(map(_is_entry, entries)):
        return revision, entries
    # Debuggers and error reports show the local variables of each frame.
    del body, entries
    raise not_the_service(answer)


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("key"), str) and isinstance(entry.get("value"), str)


def values_of(entries: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {entry["key"]: entry["value"] for entry in entries}


def expanding_among(entries: Sequence[Mapping[str, Any]]) -> set[str]:
    """The keys whose values may name others."""
    return {entry["key"] for entry in entries if entry.get("expand") is True}


def path_of(name: str) -> str:
    """The path of ``organization/project/environment``. Raises ``ValueError`` for a name that is not one."""
    parts = name.split("/")
    # A URL parser resolves dot segments, so they would name another path.
    if len(parts) != 3 or any(part in ("", ".", "..") for part in parts):
        raise ValueError("Name an environment as organization/project/environment.")
    return "/v1/secrets/" + "/".join(urllib.parse.quote(part, safe="!'()*") for part in parts)
