"""Changes of one environment, each as one revision."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, TypeVar, Union

from ._errors import HoldfastError, RevisionMismatchError, VersionMismatchError
from ._latest import Pulled
from ._operation import Answer, Operation, not_the_service
from ._pull import Puller, Put
from ._snapshot import Snapshot
from ._transport import Transport


class ExpandingValue(TypedDict):
    """A value that names other keys of its environment as ``${KEY}``, which pulls replace with their values."""

    value: str
    expand: Literal[True]


class Changes(TypedDict, total=False):
    """What one revision changes. Without ``expand``, every character of a value stays as it is."""

    set: Mapping[str, Union[str, ExpandingValue]]
    delete: Sequence[str]


@dataclass(frozen=True)
class SetResult:
    revision: int
    #: The key's version.
    version: int
    #: False if the key had the value already.
    changed: bool


@dataclass(frozen=True)
class ApplyResult:
    """What was done with each key."""

    revision: int
    created: tuple[str, ...]
    updated: tuple[str, ...]
    unchanged: tuple[str, ...]
    deleted: tuple[str, ...]


# Bodies are made in functions of their own, which return before anything fails: error reports show the variables of
# frames.


def _set_operation(
    path: str, key: str, put: Put, if_version: int | None, message: str | None, headers: Mapping[str, str]
) -> Operation:
    body: dict[str, Any] = {"key": key, "value": put.value}
    if put.expand:
        body["expand"] = True
    if if_version is not None:
        body["expectedVersion"] = if_version
    return Operation("PUT", path, body=_with_message(body, message), headers=headers)


def _apply_operation(
    path: str, puts: Mapping[str, Put], deleted: Sequence[str], message: str | None, headers: Mapping[str, str]
) -> Operation:
    body: dict[str, Any] = {}
    if puts:
        body["set"] = [_entry_of(key, put) for key, put in puts.items()]
    if deleted:
        body["delete"] = list(deleted)
    return Operation("POST", path, body=_with_message(body, message), headers=headers)


R = TypeVar("R", SetResult, ApplyResult)


class Writer:
    def __init__(self, transport: Transport, puller: Puller, path: str) -> None:
        self._transport = transport
        self._puller = puller
        self._path = path

    def set(
        self, key: str, put: Put, *, if_version: int | None, if_revision: int | None, message: str | None
    ) -> SetResult:
        operation = _set_operation(self._path, key, put, if_version, message, _condition(if_revision))

        def found(pulled: Pulled[Snapshot]) -> SetResult:
            version = next(entry["version"] for entry in pulled.entries if entry["key"] == key)
            return SetResult(pulled.snapshot.revision, version, changed=False)

        def is_own(error: HoldfastError) -> bool:
            return _is_next(error, if_revision, if_version)

        return self._write(operation, _set_result, is_own, {key: put}, found)

    def apply(
        self, puts: Mapping[str, Put], deleted: Sequence[str], *, if_revision: int | None, message: str | None
    ) -> ApplyResult:
        operation = _apply_operation(f"{self._path}/changes", puts, deleted, message, _condition(if_revision))
        wanted: dict[str, Put | None] = {**puts, **dict.fromkeys(deleted)}

        def found(pulled: Pulled[Snapshot]) -> ApplyResult:
            return ApplyResult(pulled.snapshot.revision, (), (), tuple(puts), tuple(deleted))

        def is_own(error: HoldfastError) -> bool:
            return _is_next(error, if_revision, None) or error.code == "secret_not_found"

        return self._write(operation, _apply_result, is_own, wanted, found)

    def _write(
        self,
        operation: Operation,
        result: Callable[[Answer], R],
        is_own: Callable[[HoldfastError], bool],
        wanted: Mapping[str, Put | None],
        found: Callable[[Pulled[Snapshot]], R],
    ) -> R:
        """If a response is lost, the retry may conflict with its own change. One read then decides."""
        deadline = self._transport.deadline()
        try:
            return result(self._transport.send(operation, deadline))
        except HoldfastError as caught:
            error = caught
        if not error.outcome_unknown or not is_own(error):
            raise error
        pulled: Pulled[Snapshot] | None = None
        # A caller with write-only access gets the first error, which says that the outcome is unknown.
        with contextlib.suppress(HoldfastError):
            pulled = self._puller.look(error, wanted, deadline)
        if pulled is None:
            raise error
        return found(pulled)


def put_of(key: str, given: str | ExpandingValue) -> Put:
    """Raises ``TypeError`` if JSON would drop or change the value."""
    value: object = given.get("value") if isinstance(given, dict) else given
    if not isinstance(value, str):
        raise TypeError(f"The value of {key} must be a string.")
    return Put(value, isinstance(given, dict) and given.get("expand") is True)


def _entry_of(key: str, put: Put) -> dict[str, Any]:
    entry: dict[str, Any] = {"key": key, "value": put.value}
    return {**entry, "expand": True} if put.expand else entry


def _with_message(body: Mapping[str, Any], message: str | None) -> Mapping[str, Any]:
    return body if message is None else {**body, "message": message}


def _condition(if_revision: int | None) -> Mapping[str, str]:
    return {} if if_revision is None else {"If-Match": f'"{if_revision}"'}


def _is_next(error: HoldfastError, if_revision: int | None, if_version: int | None) -> bool:
    """Whether a conflict may be with the change's own first attempt."""
    if isinstance(error, RevisionMismatchError):
        return if_revision is not None and error.current_revision == if_revision + 1
    if isinstance(error, VersionMismatchError):
        return if_version is not None and error.current_version == if_version + 1
    return False


def _set_result(answer: Answer) -> SetResult:
    try:
        return SetResult(answer.body["revision"], answer.body["secret"]["version"], answer.body["changed"])
    except (KeyError, TypeError):
        pass
    raise not_the_service(answer, outcome_unknown=True)


def _apply_result(answer: Answer) -> ApplyResult:
    try:
        lists = [tuple(answer.body[name]) for name in ("created", "updated", "unchanged", "deleted")]
        return ApplyResult(answer.body["revision"], *lists)
    except (KeyError, TypeError):
        pass
    raise not_the_service(answer, outcome_unknown=True)
