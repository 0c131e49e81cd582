"""The secrets of one environment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ._pull import Puller, path_of
from ._snapshot import Snapshot
from ._transport import Transport
from ._watch import OnError, watch_pulls
from ._write import ApplyResult, Changes, SetResult, Writer, put_of


class Environment:
    """The secrets of one environment. Creating it sends no request."""

    def __init__(self, transport: Transport, name: str, *, max_age: float, stale_if_error: float) -> None:
        path = path_of(name)
        self.name = name
        self.organization, self.project, self.slug = name.split("/")
        self._transport = transport
        self._max_age = max_age
        self._stale_if_error = stale_if_error
        self._puller = Puller(transport, path)
        self._writer = Writer(transport, self._puller, path)

    def __repr__(self) -> str:
        return f"<Environment {self.name}>"

    def pull(
        self,
        *,
        revision: int | None = None,
        keys: Sequence[str] | None = None,
        raw: bool = False,
        max_age: float | None = None,
        stale_if_error: float | None = None,
    ) -> Snapshot:
        """All secrets as one revision, or only ``keys``, of which a missing one is an error.

        Sends ``If-None-Match``: an unchanged environment costs a 304. ``raw`` returns values that name other keys as
        they were set, instead of expanded. ``max_age`` and ``stale_if_error`` are used instead of the client's.
        """
        return self._puller.pull(
            revision=revision,
            keys=keys,
            raw=raw,
            max_age=self._max_age if max_age is None else max_age,
            stale_if_error=self._stale_if_error if stale_if_error is None else stale_if_error,
        )

    def get(self, key: str) -> str:
        """The value of one key, which is all that is read and audited. Raises ``secret_not_found`` if it is not set."""
        return self.pull(keys=[key])[key]

    def watch(self, *, interval: float = 10.0, on_error: OnError | None = None) -> Iterator[Snapshot]:
        """Yields the current secrets, then every new revision, until the client is closed.

        Raises if the first pull fails. Later it raises only permanent errors (401, 403, 404), not temporary ones such
        as an outage: these are passed to ``on_error``, or logged.
        """
        return watch_pulls(
            self._transport,
            lambda: self.pull(max_age=0, stale_if_error=0),
            lambda snapshot: snapshot.revision,
            interval,
            on_error,
        )

    def set(
        self,
        key: str,
        value: str,
        *,
        expand: bool = False,
        if_version: int | None = None,
        if_revision: int | None = None,
        message: str | None = None,
    ) -> SetResult:
        """Sets one key.

        With ``expand``, the value names other keys of the environment as ``${KEY}``, which pulls replace with their
        values. ``if_version`` changes that version of the key only; 0 means that the key must not exist.
        ``if_revision`` changes that revision of the environment only. ``message`` is one line for the revision list and
        the audit log.
        """
        put = put_of(key, {"value": value, "expand": True} if expand else value)
        return self._writer.set(key, put, if_version=if_version, if_revision=if_revision, message=message)

    def apply(self, changes: Changes, *, if_revision: int | None = None, message: str | None = None) -> ApplyResult:
        """Sets and deletes keys as one revision, all or nothing: ``{"set": {"A": "1"}, "delete": ["B"]}``."""
        unknown = set(changes) - {"set", "delete"}
        if unknown:
            raise TypeError(f"changes has set and delete, not {', '.join(sorted(map(str, unknown)))}.")
        deleted = changes.get("delete", ())
        if isinstance(deleted, str):
            raise TypeError("delete must be a list of keys.")
        puts = {key: put_of(key, value) for key, value in changes.get("set", {}).items()}
        return self._writer.apply(puts, list(deleted), if_revision=if_revision, message=message)
